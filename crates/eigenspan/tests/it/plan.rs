//! What `plan` chooses, compared with times that were measured over a grid of shapes (`cargo xtask bench calibration`).

use eigenspan::Context;
use eigenspan::solve::{Keep, Shape, Solver, plan};
use eigenspan::source::Passes;

/// How much slower than the best the choice may be. Below a few milliseconds nobody waits for either.
const WITHIN: f64 = 1.3;
const UNFELT: f64 = 0.005;

#[test]
fn the_choice_is_near_the_best_on_the_measured_grid() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../benches/results/calibration.json"
    );
    let text = std::fs::read_to_string(path).expect("measured times");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cases = json["results"]["cases"].as_array().expect("cases");
    assert!(cases.len() >= 20, "{} cases", cases.len());
    let mut misses = Vec::new();
    for case in cases {
        let number = |key: &str| case[key].as_u64().expect("a number") as usize;
        let (n, d, k) = (number("n_rows"), number("n_cols"), number("k"));
        let shape = Shape {
            n_rows: Some(n),
            n_cols: d,
            nnz: None,
            passes: Passes::Many,
            in_memory: true,
            by_column: false,
        };
        let keep = if k == 0 { Keep::All } else { Keep::Count(k) };
        let chosen = plan(&Context::new(), shape, Solver::Auto, keep).expect("a plan");
        let times = case["seconds"].as_object().expect("times");
        let best = times.values().filter_map(|t| t.as_f64());
        let best = best.fold(f64::INFINITY, f64::min);
        let took = times.get(chosen.solver.name()).and_then(|t| t.as_f64());
        let took = took.unwrap_or(f64::INFINITY);
        if took > WITHIN * best && took - best > UNFELT {
            misses.push(format!(
                "{n} × {d}, k {k}: {} took {took:.3} s, the best {best:.3} s",
                chosen.solver
            ));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}
