//! Free memory of this machine, within the limits of the container it may run in. Only Linux reports it.

use std::fs;

/// Bytes of memory that are free now; `None` where the system does not report them.
pub fn free_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| available(&text));
    let container = [
        (
            "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/memory.current",
            "/sys/fs/cgroup/memory.stat",
        ),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
            "/sys/fs/cgroup/memory/memory.stat",
        ),
    ]
    .into_iter()
    .find_map(|(limit, used, parts)| {
        let read = |path: &str| fs::read_to_string(path).ok();
        left(
            &read(limit)?,
            &read(used)?,
            &read(parts).unwrap_or_default(),
        )
    });
    machine.into_iter().chain(container).min()
}

/// The value that `/proc/meminfo` calls available.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Bytes that a container has left of its limit. Cached file pages that the system can drop do not count as used. `None`
/// without a limit.
fn left(limit: &str, used: &str, parts: &str) -> Option<u64> {
    let limit: u64 = limit.trim().parse().ok()?;
    let used: u64 = used.trim().parse().ok()?;
    let dropped = parts.lines().find_map(|line| {
        let bytes = line
            .strip_prefix("inactive_file ")
            .or_else(|| line.strip_prefix("total_inactive_file "))?;
        bytes.trim().parse::<u64>().ok()
    });
    Some(limit.saturating_sub(used.saturating_sub(dropped.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::{available, free_memory, left};

    #[test]
    fn what_the_system_says_is_understood() {
        let meminfo = "MemTotal:       24600000 kB\nMemFree: 1 kB\nMemAvailable:   2000 kB\n";
        assert_eq!(available(meminfo), Some(2_048_000));
        assert_eq!(available("MemTotal: 5 kB\n"), None);
        // A container with a limit of 4 GB uses 3 GB; 1 GB of these are cached file pages.
        let parts = "anon 2000000000\ninactive_file 1000000000\n";
        assert_eq!(
            left("4000000000\n", "3000000000\n", parts),
            Some(2_000_000_000)
        );
        assert_eq!(left("max\n", "3000000000\n", parts), None);
        assert_eq!(left("5\n", "9\n", ""), Some(0));
        assert!(free_memory().is_none_or(|bytes| bytes > 0));
    }
}
