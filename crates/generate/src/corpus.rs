//! Inputs that were worth something: the nearest ones to each goal, those that reached the change, those that differed.

use std::collections::VecDeque;

use bonafix_model::{Goal, GoalId, GoalPurpose, Literal, Progress, Sequence, Step};

use crate::chance::Chance;

/// Inputs of one sort, the oldest of which make room for new ones.
#[derive(Debug)]
pub(crate) struct Shelf {
    inputs: VecDeque<Sequence>,
    room: usize,
}

impl Shelf {
    pub(crate) fn new(room: usize) -> Self {
        Self { inputs: VecDeque::new(), room }
    }

    pub(crate) fn push(&mut self, input: Sequence) {
        if self.inputs.len() >= self.room {
            self.inputs.pop_front();
        }
        self.inputs.push_back(input);
    }

    /// One of them, the new ones more often.
    pub(crate) fn pick(&self, chance: &mut Chance) -> Option<&Sequence> {
        let count = self.inputs.len();
        let (one, other) = (chance.below(count), chance.below(count));
        self.inputs.get(one.max(other))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Leaves only the newest.
    pub(crate) fn thin(&mut self, left: usize) {
        while self.inputs.len() > left {
            self.inputs.pop_front();
        }
    }
}

/// How far the search is with one goal.
#[derive(Debug)]
pub(crate) struct GoalState {
    purpose: GoalPurpose,
    pub(crate) best: f64,
    /// The last distance that was much less than the one before it.
    milestone: f64,
    /// The last inputs that came nearer, the nearest last.
    nearest: Vec<Sequence>,
    /// Constants of the nearest from which no ladder was tried yet.
    open_literals: Vec<usize>,
    /// The same for two constants at once, once each alone has been tried.
    open_pairs: Vec<(usize, usize)>,
    /// Inputs that were spent on it since it came nearer.
    spent: u32,
}

/// Beyond the whole conditions a distance is `d / (d + 1)`; with such a `d` one is next to the goal.
const NEXT_TO_IT: f64 = 1e-3;

/// Is a goal met, a condition more on the way to it, or one of them half as far off?
fn is_much_less(distance: f64, milestone: f64) -> bool {
    let raw = |distance: f64| distance.fract() / (1.0 - distance.fract());
    let fewer = distance.floor() < milestone.floor();
    let halved = raw(distance) <= raw(milestone) / 2.0 && raw(milestone) > NEXT_TO_IT;
    distance < milestone && (distance <= 0.0 || fewer || halved)
}

/// The goals.
#[derive(Debug)]
pub(crate) struct Goals {
    states: Vec<GoalState>,
}

/// Inputs that are kept for one goal.
const NEAREST: usize = 3;

impl Goals {
    pub(crate) fn new(goals: &[Goal]) -> Self {
        let state = |goal: &Goal| GoalState {
            purpose: goal.purpose,
            best: f64::INFINITY,
            milestone: f64::INFINITY,
            nearest: Vec::new(),
            open_literals: Vec::new(),
            open_pairs: Vec::new(),
            spent: 0,
        };
        Self { states: goals.iter().map(state).collect() }
    }

    /// Takes down that an input came nearer. Says whether the goal is still open.
    pub(crate) fn note(&mut self, progress: &Progress, input: &Sequence) -> bool {
        let Some(state) = self.states.get_mut(progress.goal as usize) else { return false };
        if progress.distance >= state.best {
            return state.best > 0.0;
        }
        state.best = progress.distance;
        state.spent = 0;
        if state.best <= 0.0 {
            // A goal that is met needs no more inputs.
            state.nearest.clear();
            state.open_literals.clear();
            state.open_pairs.clear();
            return false;
        }
        if state.nearest.len() >= NEAREST {
            state.nearest.remove(0);
        }
        state.nearest.push(input.clone());
        state.open_literals = constants(input);
        state.open_pairs = pairs(input);
        true
    }

    /// Was that much nearer than anything before? Numbers can come a little nearer for ever.
    pub(crate) fn is_leap(&mut self, progress: &Progress) -> bool {
        let Some(state) = self.states.get_mut(progress.goal as usize) else { return false };
        let leaps = is_much_less(progress.distance, state.milestone);
        if leaps {
            state.milestone = progress.distance;
        }
        leaps
    }

    pub(crate) fn count(&self, purpose: GoalPurpose) -> u32 {
        count(self.states.iter().filter(|state| state.purpose == purpose))
    }

    pub(crate) fn met(&self, purpose: GoalPurpose) -> u32 {
        count(self.states.iter().filter(|state| state.purpose == purpose && state.best <= 0.0))
    }

    /// Is a goal open that parts the versions?
    pub(crate) fn parts_open(&self) -> bool {
        self.states.iter().any(|state| state.purpose == GoalPurpose::Part && state.best > 0.0)
    }

    pub(crate) fn open(&self) -> u32 {
        count(self.states.iter().filter(|state| state.best > 0.0))
    }

    /// The least distance to a goal of the foremost purpose that is still open.
    pub(crate) fn best_open(&self) -> Option<f64> {
        let open = || self.states.iter().filter(|state| state.best > 0.0 && state.best.is_finite());
        let purpose = open().map(|state| state.purpose).min()?;
        open().filter(|state| state.purpose == purpose).map(|state| state.best).min_by(f64::total_cmp)
    }

    /// A goal that is open and to which some input came near; foremost purposes and neglected goals more often.
    pub(crate) fn pick(&mut self, chance: &mut Chance) -> Option<GoalId> {
        let weight = |state: &GoalState| {
            if state.nearest.is_empty() {
                return 0.0;
            }
            let purpose = match state.purpose {
                GoalPurpose::Reach | GoalPurpose::Part => 8.0,
                GoalPurpose::Branch => 3.0,
                GoalPurpose::Around => 0.7,
            };
            purpose / (1.0 + f64::from(state.spent) / 400.0)
        };
        let sum: f64 = self.states.iter().map(weight).sum();
        if sum <= 0.0 {
            return None;
        }
        let mut point = chance.fraction() * sum;
        let mut found = None;
        for (state, goal) in self.states.iter_mut().zip(0..) {
            let weight = weight(state);
            if weight <= 0.0 {
                continue;
            }
            found = Some(goal);
            point -= weight;
            if point <= 0.0 {
                break;
            }
        }
        if let Some(goal) = found {
            self.states[goal as usize].spent += 1;
        }
        found
    }

    /// An input near to the goal, the nearest mostly.
    pub(crate) fn near(&self, goal: GoalId, chance: &mut Chance) -> Option<&Sequence> {
        let nearest = &self.states.get(goal as usize)?.nearest;
        if chance.percent(70) { nearest.last() } else { chance.pick(nearest) }
    }

    /// A constant of the nearest input from which no ladder was tried yet.
    pub(crate) fn next_literal(&mut self, goal: GoalId, chance: &mut Chance) -> Option<(usize, Sequence)> {
        let state = self.states.get_mut(goal as usize)?;
        if state.open_literals.is_empty() {
            return None;
        }
        let literal = state.open_literals.swap_remove(chance.below(state.open_literals.len()));
        state.nearest.last().map(|input| (literal, input.clone()))
    }

    /// Two numbers of the nearest input that were not moved together yet, where moving one alone brought nothing.
    pub(crate) fn next_pair(
        &mut self,
        goal: GoalId,
        chance: &mut Chance,
    ) -> Option<((usize, usize), Sequence)> {
        let state = self.states.get_mut(goal as usize)?;
        if !state.open_literals.is_empty() || state.open_pairs.is_empty() {
            return None;
        }
        let pair = state.open_pairs.swap_remove(chance.below(state.open_pairs.len()));
        state.nearest.last().map(|input| (pair, input.clone()))
    }

    /// The nearest input, to go on from a constant that brought it there.
    pub(crate) fn follow(&mut self, goal: GoalId, literal: usize) -> Option<Sequence> {
        let state = self.states.get_mut(goal as usize)?;
        state.open_literals.retain(|open| *open != literal);
        state.nearest.last().cloned()
    }
}

fn count<'a>(states: impl Iterator<Item = &'a GoalState>) -> u32 {
    u32::try_from(states.count()).unwrap_or(u32::MAX)
}

/// Pairs of whole numbers; not all of them, if there are many.
fn pairs(input: &Sequence) -> Vec<(usize, usize)> {
    let is_number =
        |index: &usize| matches!(input.steps[*index], Step::Constant { value: Literal::Integer(_), .. });
    let numbers: Vec<usize> = (0..input.steps.len()).filter(is_number).rev().take(5).collect();
    numbers
        .iter()
        .enumerate()
        .flat_map(|(place, one)| numbers[place + 1..].iter().map(move |other| (*one, *other)))
        .collect()
}

fn constants(input: &Sequence) -> Vec<usize> {
    (0..input.steps.len()).filter(|index| matches!(input.steps[*index], Step::Constant { .. })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_is_a_goal_a_condition_or_half_the_way() {
        assert!(is_much_less(0.0, 1e-9) && is_much_less(1.5, f64::INFINITY));
        assert!(is_much_less(0.999, 1.2) && !is_much_less(1.2, 1.2));
        // From 100 to 50 and to 90.
        assert!(is_much_less(50.0 / 51.0, 100.0 / 101.0) && !is_much_less(90.0 / 91.0, 100.0 / 101.0));
        assert!(!is_much_less(1e-9, 1e-4), "next to it is not there");
    }
}
