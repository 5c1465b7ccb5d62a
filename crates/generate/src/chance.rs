//! Chance, all of it from one seed.

/// Where chance comes from.
#[derive(Debug, Clone)]
pub(crate) struct Chance {
    rng: fastrand::Rng,
}

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed) }
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    /// Below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.rng.usize(..bound.max(1))
    }

    /// From `least` to `greatest`, both included.
    pub(crate) fn between(&mut self, least: i64, greatest: i64) -> i64 {
        if least >= greatest { least } else { self.rng.i64(least..=greatest) }
    }

    /// From 0 to 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        self.rng.f64()
    }

    pub(crate) fn bit(&mut self) -> bool {
        self.rng.bool()
    }

    /// One of them; none if there is none.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }

    /// One of them, the first ones more often.
    pub(crate) fn pick_early<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let one = self.below(items.len());
        let other = self.below(items.len());
        items.get(one.min(other))
    }
}

/// Things to choose from, some more often than others.
#[derive(Debug, Clone)]
pub(crate) struct Weighted<T> {
    items: Vec<T>,
    sums: Vec<f64>,
}

impl<T> Default for Weighted<T> {
    fn default() -> Self {
        Self { items: Vec::new(), sums: Vec::new() }
    }
}

impl<T: Copy> Weighted<T> {
    pub(crate) fn push(&mut self, item: T, weight: f64) {
        let sum = self.sums.last().copied().unwrap_or_default();
        self.items.push(item);
        self.sums.push(sum + weight.max(0.0));
    }

    pub(crate) fn pick(&self, chance: &mut Chance) -> Option<T> {
        let point = chance.fraction() * self.sums.last()?;
        let index = self.sums.partition_point(|sum| *sum <= point);
        self.items.get(index).or(self.items.last()).copied()
    }

    /// Leaves out some items.
    pub(crate) fn retain(&mut self, wanted: impl Fn(T) -> bool) {
        let all = std::mem::take(self);
        let mut before = 0.0;
        for (item, sum) in all.items.into_iter().zip(all.sums) {
            if wanted(item) {
                self.push(item, sum - before);
            }
            before = sum;
        }
    }

    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }
}
