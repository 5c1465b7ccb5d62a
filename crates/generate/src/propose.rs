//! Where the next inputs come from, and how much of them from where.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

use bonafix_model::{GoalId, Literal, Sequence, Step, Summary};

use crate::affordable::is_affordable;
use crate::build::{self, Builder};
use crate::chance::Chance;
use crate::corpus::{Goals, Shelf};
use crate::draft::{Draft, MAX_STEPS};
use crate::literals::ladder;
use crate::mutate::{look, mutate, toward_ordinary};
use crate::seeds::focused;
use crate::world::World;

/// Where an input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From an earlier search.
    Kept,
    /// From a test, as it is or a part of it.
    Seed,
    /// From one of the sources between which the search shares its inputs.
    Source(Source),
    /// One constant of the nearest input to a goal was moved.
    Ladder(GoalId, usize),
    /// An input that differed, followed by a look at it.
    Look,
}

/// What the search shares its inputs between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Fresh,
    Seeds,
    Goals,
    Reached,
    Pursued,
}

const SOURCES: [Source; 5] = [Source::Fresh, Source::Seeds, Source::Goals, Source::Reached, Source::Pursued];

/// How much a source got, and what came of it.
#[derive(Debug, Clone, Copy, Default)]
struct Account {
    tried: f64,
    paid: f64,
}

/// An input that is to be run.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) input: Sequence,
    pub(crate) origin: Origin,
}

/// All that inputs are drawn from.
pub(crate) struct Proposer<'w> {
    pub(crate) world: World<'w>,
    pub(crate) chance: Chance,
    pub(crate) goals: Goals,
    /// Only inputs that call once what leads to the change: in two calls, two versions can take two ways that part
    /// them in neither, and a goal that was met in vain leads nowhere any more.
    pub(crate) focused: bool,
    /// Kept inputs and seeds: the first are run before anything else, the others beside it.
    given: VecDeque<Proposal>,
    given_run: usize,
    /// Moves of constants and the like, to be run soon.
    queue: VecDeque<Proposal>,
    pub(crate) seeds: Shelf,
    pub(crate) reached: Shelf,
    pub(crate) pursued: Shelf,
    accounts: [Account; SOURCES.len()],
    seen: HashSet<u64, BuildHasherDefault<DefaultHasher>>,
}

/// No more than this waits in the queue.
const QUEUE: usize = 4_000;
/// Tests of a large project give thousands of inputs: the search does not wait for more of them than these.
const GIVEN_FIRST: usize = 400;

impl<'w> Proposer<'w> {
    pub(crate) fn new(world: World<'w>, goals: Goals, seed: u64) -> Self {
        Self {
            world,
            chance: Chance::new(seed),
            goals,
            focused: false,
            given: VecDeque::new(),
            given_run: 0,
            queue: VecDeque::new(),
            seeds: Shelf::new(2_000),
            reached: Shelf::new(300),
            pursued: Shelf::new(80),
            accounts: [Account::default(); SOURCES.len()],
            seen: HashSet::default(),
        }
    }

    /// Puts an input into the queue if it was not run before.
    pub(crate) fn enqueue(&mut self, input: Sequence, origin: Origin) {
        let is_given = matches!(origin, Origin::Kept | Origin::Seed);
        let is_wanted = is_given || (self.queue.len() < QUEUE && is_affordable(&self.world, &input));
        if is_wanted && self.is_new(&input) {
            let queue = if is_given { &mut self.given } else { &mut self.queue };
            queue.push_back(Proposal { input, origin });
        }
    }

    fn is_new(&mut self, input: &Sequence) -> bool {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        self.seen.insert(hasher.finish())
    }

    /// So many inputs at most; none if nothing new comes any more.
    pub(crate) fn batch(&mut self, size: usize) -> Vec<Proposal> {
        let mut batch = Vec::with_capacity(size);
        let most = if self.given_run < GIVEN_FIRST { size } else { size.div_ceil(2) };
        batch.extend(self.given.drain(..most.min(self.given.len())));
        self.given_run += batch.len();
        // Ladders leave room for other things.
        let room = (size.div_ceil(4) * 3).saturating_sub(batch.len());
        batch.extend(self.queue.drain(..room.min(self.queue.len())));
        let mut failed = 0;
        while batch.len() < size && failed < 40 + size {
            match self.draw() {
                Some(proposal) => batch.push(proposal),
                None => failed += 1,
            }
        }
        while batch.len() < size
            && let Some(next) = self.queue.pop_front()
        {
            batch.push(next);
        }
        batch
    }

    fn draw(&mut self) -> Option<Proposal> {
        let source = self.source();
        let input = match source {
            Source::Fresh => build::random(&self.world, &mut self.chance),
            Source::Goals => return self.toward_goal(),
            Source::Seeds | Source::Reached | Source::Pursued => self.changed(source),
        }?;
        self.accounts[source as usize].tried += 1.0;
        self.proposal(input, source)
    }

    fn proposal(&mut self, input: Sequence, source: Source) -> Option<Proposal> {
        let input = if self.focused { focused(&self.world, &input)? } else { input };
        let is_wanted = is_affordable(&self.world, &input) && self.is_new(&input);
        is_wanted.then_some(Proposal { input, origin: Origin::Source(source) })
    }

    fn shelf(&self, source: Source) -> &Shelf {
        match source {
            Source::Reached => &self.reached,
            Source::Pursued => &self.pursued,
            _ => &self.seeds,
        }
    }

    fn is_available(&self, source: Source) -> bool {
        match source {
            Source::Fresh => !self.world.targets.items().is_empty(),
            Source::Goals => true,
            _ => !self.shelf(source).is_empty(),
        }
    }

    /// Chosen by what it has brought of late; each keeps a part whatever happens.
    fn source(&mut self) -> Source {
        let rate = |account: &Account| account.paid / (account.tried + 60.0);
        let best = self.accounts.iter().map(rate).fold(1e-9, f64::max);
        let mut weights = [0.0; SOURCES.len()];
        for ((weight, source), account) in weights.iter_mut().zip(SOURCES).zip(&self.accounts) {
            if self.is_available(source) {
                *weight = 0.35 + rate(account) / best;
            }
        }
        let mut point = self.chance.fraction() * weights.iter().sum::<f64>();
        for (weight, source) in weights.iter().zip(SOURCES) {
            point -= weight;
            if point < 0.0 {
                return source;
            }
        }
        Source::Fresh
    }

    fn changed(&mut self, source: Source) -> Option<Sequence> {
        let (world, chance) = (&self.world, &mut self.chance);
        let parents = match source {
            Source::Reached => &self.reached,
            Source::Pursued => &self.pursued,
            _ => &self.seeds,
        };
        let parent = parents.pick(chance)?;
        if source == Source::Pursued && chance.percent(60) {
            let ordinary = toward_ordinary(world, chance, parent);
            let limit = MAX_STEPS.max(parent.steps.len() + 1);
            let draft = Draft::of(world, ordinary.as_ref().unwrap_or(parent));
            let mut builder = Builder::new(world, chance, draft, limit);
            if ordinary.is_none() || builder.chance.percent(30) {
                look(&mut builder)?;
            }
            return Some(builder.draft.into_sequence());
        }
        let other = if self.reached.is_empty() || chance.bit() {
            self.seeds.pick(chance)
        } else {
            self.reached.pick(chance)
        };
        let changed = mutate(world, chance, parent, other)?;
        // Two changes at once leave a place that one does not.
        if chance.percent(25) {
            mutate(world, chance, &changed, None).or(Some(changed))
        } else {
            Some(changed)
        }
    }

    fn toward_goal(&mut self) -> Option<Proposal> {
        let goal = self.goals.pick(&mut self.chance)?;
        if self.chance.percent(40)
            && let Some((literal, input)) = self.goals.next_literal(goal, &mut self.chance)
        {
            self.climb(goal, literal, &input);
        } else if self.chance.percent(20)
            && let Some((pair, input)) = self.goals.next_pair(goal, &mut self.chance)
        {
            self.climb_together(goal, pair, &input);
        }
        let parent = self.goals.near(goal, &mut self.chance)?;
        let other = if self.chance.bit() {
            self.seeds.pick(&mut self.chance)
        } else {
            self.reached.pick(&mut self.chance)
        };
        let input = mutate(&self.world, &mut self.chance, parent, other)?;
        self.accounts[Source::Goals as usize].tried += 1.0;
        self.proposal(input, Source::Goals)
    }

    /// Puts all moves of one constant into the queue.
    pub(crate) fn climb(&mut self, goal: GoalId, literal: usize, input: &Sequence) {
        let Some(Step::Constant { type_name, value }) = input.steps.get(literal) else { return };
        let shape = self.world.types.get(self.world.types.named(type_name)).shape;
        for moved in ladder(value, shape) {
            self.enqueue(with_literal(input, literal, moved), Origin::Ladder(goal, literal));
        }
    }

    /// Puts moves of two numbers at once into the queue: where a condition ties them, neither can move alone.
    fn climb_together(&mut self, goal: GoalId, (one, other): (usize, usize), input: &Sequence) {
        let near = -4_i64..=4;
        let around = near.clone().flat_map(|first| near.clone().map(move |second| (first, second)));
        let far = (3..20).map(|bit| 1_i64 << bit).flat_map(|step| {
            [(step, step), (-step, -step), (step, -step), (-step, step), (step, 2 * step), (2 * step, step)]
        });
        for (first, second) in around.chain(far).filter(|(first, second)| *first != 0 && *second != 0) {
            if let Some(moved) =
                self.shifted(input, one, first).and_then(|input| self.shifted(&input, other, second))
            {
                self.enqueue(moved, Origin::Ladder(goal, one));
            }
        }
    }

    /// The input with one whole number greater by so much, if the type has room for it.
    fn shifted(&self, input: &Sequence, place: usize, by: i64) -> Option<Sequence> {
        let Step::Constant { type_name, value: Literal::Integer(value) } = &input.steps[place] else {
            return None;
        };
        let (least, greatest) =
            self.world.types.get(self.world.types.named(type_name)).shape.integer_range()?;
        let moved = value.checked_add(by).filter(|moved| (least..=greatest).contains(moved))?;
        Some(with_literal(input, place, Literal::Integer(moved)))
    }

    /// Takes down what an input brought.
    pub(crate) fn reward(&mut self, origin: Origin, worth: f64) {
        let source = match origin {
            Origin::Source(source) => source,
            Origin::Ladder(..) => Source::Goals,
            Origin::Look => Source::Pursued,
            Origin::Kept | Origin::Seed => Source::Seeds,
        };
        self.accounts[source as usize].paid += worth;
    }

    /// Takes down which of its calls an input came through.
    pub(crate) fn note_run(&mut self, input: &Sequence, summary: &Summary) {
        let end = summary.steps as usize;
        for (index, step) in input.steps.iter().enumerate().take(end + 1) {
            let Step::Call { callable, receiver, .. } = step else { continue };
            if index < end || summary.threw {
                self.world.note_run(*callable, index == end);
            } else if summary.unfit
                && let Some(Step::Call { callable, .. }) =
                    receiver.and_then(|receiver| input.steps.get(receiver as usize))
            {
                // It had nothing to be called on: whoever made that is to blame.
                self.world.note_run(*callable, true);
            }
        }
    }

    /// What was long ago counts less.
    pub(crate) fn fade(&mut self) {
        for account in &mut self.accounts {
            account.tried *= 0.9;
            account.paid *= 0.9;
        }
    }

    /// Begins anew: nothing came of what was collected.
    pub(crate) fn restart(&mut self) {
        self.accounts = [Account::default(); SOURCES.len()];
        self.reached.thin(20);
        self.pursued.thin(20);
    }
}

fn with_literal(input: &Sequence, place: usize, moved: Literal) -> Sequence {
    let mut changed = input.clone();
    if let Step::Constant { value, .. } = &mut changed.steps[place] {
        *value = moved;
    }
    changed
}
