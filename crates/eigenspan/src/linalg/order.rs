//! The order of numbers, by one function: every closure that is given to a sort brings a compiled copy of that sort.

/// The places of these numbers, largest number first; equal numbers stay in their order.
pub fn largest_first(numbers: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    sort_largest_first(&mut places, &|i| numbers[i]);
    places
}

/// Sorts places by the number of each, largest number first; equal numbers stay in their order.
pub fn sort_largest_first(places: &mut [usize], number: &dyn Fn(usize) -> f64) {
    places.sort_by(|&a, &b| number(b).total_cmp(&number(a)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_comes_first_and_ties_stay_in_order() {
        let numbers = [1.0, 3.0, -2.0, 3.0, f64::INFINITY, 0.0];
        assert_eq!(largest_first(&numbers), [4, 1, 3, 0, 5, 2]);
        let mut some = [2, 3, 1];
        sort_largest_first(&mut some, &|i| numbers[i]);
        assert_eq!(some, [3, 1, 2]);
    }
}
