//! What our own kernels need from a processor, and which instruction sets provide it.
//!
//! A kernel is written once over [`Vector`] and compiled once per [`Isa`]; the instruction set is chosen at run time, so one
//! binary is fast everywhere. A test on one instruction set tests the source code that runs on all.

#[cfg(target_arch = "x86_64")]
mod x86;

use crate::mat::Real;

/// A register of several numbers.
///
/// All methods are unsafe for one reason: the processor must have the instructions. Pointers must be valid for
/// [`Vector::LANES`] numbers; they need no alignment.
pub(in crate::linalg) trait Vector: Copy {
    /// f32 or f64.
    type Cell: Cell;
    /// Numbers in a register.
    const LANES: usize;
    /// Every lane zero.
    unsafe fn zero() -> Self;
    /// Every lane x.
    unsafe fn splat(x: Self::Cell) -> Self;
    /// The numbers from `from` on.
    unsafe fn load(from: *const Self::Cell) -> Self;
    /// self·b + c, rounded once where the processor can.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    /// Writes the lanes to the numbers from `to` on.
    unsafe fn store(self, to: *mut Self::Cell);
    /// Adds the lanes, in f64, to the numbers from `to` on.
    unsafe fn add_to(self, to: *mut f64);
    /// The same value, kept in a register: if registers are scarce, nothing that is needed later is loaded before this is
    /// computed.
    #[inline(always)]
    unsafe fn pinned(self) -> Self {
        self
    }
}

/// An instruction set: its registers, and how many of them form a tile.
pub(in crate::linalg) trait Isa {
    type F32: Vector<Cell = f32>;
    type F64: Vector<Cell = f64>;
    /// One and a half registers, if a register holds more than [`LEAST_LANES`] numbers; otherwise one register.
    type Wider: Vector<Cell = f64>;
    /// Registers side by side in a tile, 1 to [`MAX_VECTORS`]. Their sums, one per row of the tile, must stay in registers.
    const VECTORS: usize;
    /// Whether a product and a sum are one instruction.
    const FUSED: bool;
    /// The longest run of data rows multiplied at once: `VECTORS` + 1 panels of it fill about a first-level cache of 32 KiB.
    const DEPTH: usize;
}

/// The largest [`Isa::VECTORS`].
pub(in crate::linalg) const MAX_VECTORS: usize = 3;

/// Adjacent vectors are padded to a multiple of this, the size of the smallest registers.
const LEAST_LANES: usize = 4;

/// How the next of `rest` adjacent cells are processed: the number of registers, at most `most`, or 0 for one [`Isa::Wider`],
/// after which whole registers are left. Also returns the number of these cells.
#[inline(always)]
pub(in crate::linalg) fn next_registers<I: Isa>(rest: usize, most: usize) -> (usize, usize) {
    let lanes = I::F64::LANES;
    if !rest.is_multiple_of(lanes) {
        let wider = I::Wider::LANES;
        assert!(rest >= wider && (rest - wider).is_multiple_of(lanes));
        return (0, wider);
    }
    let live = (rest / lanes).min(most);
    (live, live * lanes)
}

/// The most lanes a register has.
pub(in crate::linalg) const MAX_LANES: usize = 16;

/// An element type: selects the registers that hold it, and knows its range.
pub(in crate::linalg) trait Cell: Real {
    /// The registers of an instruction set.
    type In<I: Isa>: Vector<Cell = Self>;
    /// The larger of |self| and a magnitude.
    fn larger(self, magnitude: Self) -> Self;
    /// Whether a column with this largest magnitude keeps its digits when squared and summed.
    fn squares_fit(self) -> bool;
}

impl Cell for f32 {
    type In<I: Isa> = I::F32;

    #[inline(always)]
    fn larger(self, magnitude: Self) -> Self {
        // Written so that it compiles to one instruction.
        if self.abs() > magnitude {
            self.abs()
        } else {
            magnitude
        }
    }

    /// From 2⁻⁵⁰, below which products of cells that are 2⁻²⁴ times smaller underflow, to 2⁵⁰, above which sums may overflow.
    #[inline(always)]
    fn squares_fit(self) -> bool {
        const LEAST: f32 = 1.0 / (1u64 << 50) as f32;
        const MOST: f32 = (1u64 << 50) as f32;
        self == 0.0 || (LEAST..=MOST).contains(&self)
    }
}

impl Cell for f64 {
    type In<I: Isa> = I::F64;

    /// Not needed, and therefore 0: the range of f64 is the range of the result.
    #[inline(always)]
    fn larger(self, _: Self) -> Self {
        0.0
    }

    #[inline(always)]
    fn squares_fit(self) -> bool {
        true
    }
}

/// Work that is compiled once per instruction set. `ROWS` is the height of a tile; it divides the number of lanes.
pub(in crate::linalg) trait Work {
    type Output;
    /// Must be `#[inline(always)]`, or it is compiled without the instructions it was called for.
    ///
    /// # Safety
    /// The processor must have the instructions of `I`.
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> Self::Output;
}

/// An instruction set that this processor has: no other can be constructed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::linalg) struct InstructionSet(Detected);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detected {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl InstructionSet {
    /// The instruction sets that this processor has, best first. The standard library caches the detection.
    pub(in crate::linalg) fn available() -> impl Iterator<Item = Self> {
        [
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx512f").then_some(Detected::Avx512),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"))
                .then_some(Detected::Avx2),
            Some(Detected::Portable),
        ]
        .into_iter()
        .flatten()
        .map(InstructionSet)
    }

    /// The best instruction set that this processor has.
    pub(in crate::linalg) fn best() -> Self {
        Self::available()
            .next()
            .unwrap_or(InstructionSet(Detected::Portable))
    }

    /// The cells to which n 64-bit numbers are padded: whole registers, or whole registers and a half.
    pub(in crate::linalg) fn width(self, n: usize) -> usize {
        let width = n.next_multiple_of(LEAST_LANES);
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Detected::Avx512 if n > 0 => width.max(<x86::Avx512 as Isa>::F64::LANES),
            _ => width,
        }
    }

    /// Runs the work with these instructions.
    pub(in crate::linalg) fn run<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the instructions.
            Detected::Avx512 => unsafe { x86::run_avx512(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the instructions.
            Detected::Avx2 => unsafe { x86::run_avx2(work) },
            // SAFETY: plain Rust runs everywhere.
            Detected::Portable => unsafe { work.run::<Portable, 4>() },
        }
    }
}

/// Plain loops that the compiler may turn into instructions on wide registers.
pub(crate) trait Loops {
    type Output;
    /// Must be `#[inline(always)]`, and so must be all it calls, or it is compiled without these instructions.
    fn run(self) -> Self::Output;
}

/// Runs loops that were compiled for the best instruction set of this processor. The bits are the same on every instruction set:
/// the compiler neither fuses nor reorders operations on floats.
#[inline]
pub(crate) fn with_wide_registers<L: Loops>(loops: L) -> L::Output {
    InstructionSet::best().run(Wide(loops))
}

struct Wide<L>(L);

impl<L: Loops> Work for Wide<L> {
    type Output = L::Output;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> L::Output {
        self.0.run()
    }
}

/// Plain Rust, on arrays of 32 bytes that the compiler turns into whatever registers exist.
pub(in crate::linalg) struct Portable;

impl Isa for Portable {
    type F32 = Lanes<f32, 8>;
    type F64 = Lanes<f64, 4>;
    type Wider = Lanes<f64, 4>;
    // On 16-byte registers, 4 rows × 1 vector are 8 sums: all that 16 registers can hold; ARM has 32.
    const VECTORS: usize = if cfg!(target_arch = "aarch64") { 2 } else { 1 };
    const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
    const DEPTH: usize = 256;
}

/// A register written as an array.
#[derive(Clone, Copy)]
pub(in crate::linalg) struct Lanes<T, const L: usize>([T; L]);

macro_rules! portable_vector {
    ($cell:ty, $lanes:literal) => {
        impl Vector for Lanes<$cell, $lanes> {
            type Cell = $cell;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                Lanes([0.0; $lanes])
            }

            #[inline(always)]
            unsafe fn splat(x: $cell) -> Self {
                Lanes([x; $lanes])
            }

            #[inline(always)]
            unsafe fn load(from: *const $cell) -> Self {
                // SAFETY: the caller vouches for the pointer.
                Lanes(unsafe { from.cast::<[$cell; $lanes]>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                // Without a fused instruction, `mul_add` would call the C library.
                Lanes(std::array::from_fn(|l| {
                    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
                        self.0[l].mul_add(b.0[l], c.0[l])
                    } else {
                        self.0[l] * b.0[l] + c.0[l]
                    }
                }))
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $cell) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { to.cast::<[$cell; $lanes]>().write_unaligned(self.0) }
            }

            #[inline(always)]
            unsafe fn add_to(self, to: *mut f64) {
                // SAFETY: the caller vouches for the pointer.
                let to = unsafe { std::slice::from_raw_parts_mut(to, $lanes) };
                to.iter_mut()
                    .zip(self.0)
                    .for_each(|(to, x)| *to += f64::from(x));
            }
        }
    };
}

portable_vector!(f32, 8);
portable_vector!(f64, 4);

/// Bytes of a cache line.
pub(in crate::linalg) const LINE: usize = 64;

/// Requests a cache line before it is needed.
#[inline(always)]
pub(in crate::linalg) fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch touches nothing, whatever the address; every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Requests all cache lines of a slice before they are needed.
pub(crate) fn prefetch_all<T>(cells: &[T]) {
    let step = (LINE / size_of::<T>().max(1)).max(1);
    cells.iter().step_by(step).for_each(|cell| prefetch(cell));
}
