//! Smaller inputs that still do what a larger one did: fewer calls, fewer steps, simpler constants, in this order.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use bonafix_lang::{LangError, Run, RunScope};
use bonafix_model::{Literal, Ran, Sequence, Slot, Step};

use crate::draft::{remap, slot, without_dead_steps};
use crate::mutate::{without_only, without_step};
use crate::seeds::slice;

/// Candidates that are run at once.
const BATCH: usize = 32;
/// A candidate that takes longer is one that does not end, and the next ones may be as slow: then there is time to look at
/// the clock after each.
const SLOW: Duration = Duration::from_millis(250);

/// What making an input smaller may cost.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Inputs that are run.
    pub inputs: u64,
    /// Nothing is begun after that. What comes out then depends on the clock.
    pub until: Option<Instant>,
}

/// How large an input is; constants count last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    calls: usize,
    steps: usize,
    caught: usize,
    uses: usize,
    constants: u64,
    /// Of equal ones, the one with smaller numbers.
    amount: u128,
}

/// The least input found that `still` accepts, within what is allowed. The given one is taken as accepted. Nothing
/// that is left can be left out alone, if that is enough.
pub fn minimise(
    input: &Sequence,
    run: &mut dyn Run,
    scope: &RunScope,
    still: &mut dyn FnMut(&Sequence, &Ran) -> bool,
    allowance: Allowance,
) -> Result<Sequence, LangError> {
    let mut minimiser = Minimiser {
        results: results_of(input, run),
        best: without_dead_steps(input),
        tried: HashSet::new(),
        left: allowance,
    };
    let passes: [fn(&Minimiser) -> Vec<Sequence>; 6] = [
        Minimiser::shorter,
        Minimiser::without_parts,
        Minimiser::bypassed,
        Minimiser::narrower,
        Minimiser::uncaught,
        Minimiser::simpler,
    ];
    loop {
        let mut improved = false;
        for pass in passes {
            while minimiser.improve(pass, run, scope, still)? {
                improved = true;
            }
        }
        if !improved || minimiser.left.is_spent() {
            break;
        }
    }
    let tidy = constants_at_use(&minimiser.best);
    if tidy != minimiser.best
        && minimiser.first_accepted(std::slice::from_ref(&tidy), run, scope, still)?.is_some()
    {
        return Ok(tidy);
    }
    Ok(minimiser.best)
}

/// Names of the result types of what an input calls.
fn results_of(input: &Sequence, run: &dyn Run) -> BTreeMap<u32, String> {
    let callables = &run.catalog().callables;
    input
        .callables()
        .filter_map(|id| callables.get(id as usize).map(|callable| (id, callable.result.clone())))
        .collect()
}

struct Minimiser {
    results: BTreeMap<u32, String>,
    best: Sequence,
    tried: HashSet<Sequence>,
    left: Allowance,
}

impl Allowance {
    pub(crate) fn is_spent(&self) -> bool {
        self.inputs == 0 || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl Minimiser {
    /// Tries what a pass proposes; the first that is accepted is the new best.
    fn improve(
        &mut self,
        pass: fn(&Self) -> Vec<Sequence>,
        run: &mut dyn Run,
        scope: &RunScope,
        still: &mut dyn FnMut(&Sequence, &Ran) -> bool,
    ) -> Result<bool, LangError> {
        let size = size(&self.best);
        let mut candidates = pass(self);
        candidates.retain(|candidate| {
            !candidate.steps.is_empty()
                && crate::minimise::size(candidate) < size
                && self.tried.insert(candidate.clone())
        });
        let accepted = self.first_accepted(&candidates, run, scope, still)?;
        let improved = accepted.is_some();
        self.best = accepted.unwrap_or_else(|| std::mem::take(&mut self.best));
        Ok(improved)
    }

    fn first_accepted(
        &mut self,
        candidates: &[Sequence],
        run: &mut dyn Run,
        scope: &RunScope,
        still: &mut dyn FnMut(&Sequence, &Ran) -> bool,
    ) -> Result<Option<Sequence>, LangError> {
        let mut rest = candidates;
        let mut at_once = if self.left.until.is_some() { 1 } else { BATCH };
        while !rest.is_empty() && !self.left.is_spent() {
            let allowed = usize::try_from(self.left.inputs).unwrap_or(usize::MAX);
            let (chunk, others) = rest.split_at(at_once.min(rest.len()).min(allowed));
            rest = others;
            self.left.inputs -= chunk.len() as u64;
            let began = Instant::now();
            let results = run.run(chunk, scope)?;
            let accepted = chunk.iter().zip(&results).find(|(candidate, ran)| still(candidate, ran));
            if let Some((candidate, _)) = accepted {
                return Ok(Some(candidate.clone()));
            }
            if self.left.until.is_some() {
                at_once = if began.elapsed() > SLOW { 1 } else { BATCH.min(at_once * 4) };
            }
        }
        Ok(None)
    }

    fn calls(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.best.steps.len()).filter(|index| matches!(self.best.steps[*index], Step::Call { .. }))
    }

    /// Only its beginning, or only what one of its calls needs.
    fn shorter(&self) -> Vec<Sequence> {
        let mut found = Vec::new();
        for end in self.calls() {
            found.push(slice(&self.best, end));
            let beginning = Sequence { steps: self.best.steps[..=end].to_vec() };
            found.push(without_dead_steps(&beginning));
        }
        found
    }

    /// Without one call, or two of them, and all that depends on them.
    fn without_parts(&self) -> Vec<Sequence> {
        let calls: Vec<usize> = self.calls().rev().collect();
        let mut found: Vec<Sequence> = calls.iter().map(|index| without_step(&self.best, *index)).collect();
        for pair in calls.windows(2) {
            // The later one goes first, so that the number of the other stays what it is.
            let steps = without_only(&self.best, pair[0]);
            found.push(without_step(&steps, pair[1]));
        }
        found
    }

    /// With an earlier value of the same type, or a plain one, in place of what a step made.
    fn bypassed(&self) -> Vec<Sequence> {
        let mut found = Vec::new();
        for index in (0..self.best.steps.len()).rev() {
            let Some(type_name) = self.type_name(index) else { continue };
            if !says_little(type_name.0) {
                let same = (0..index).filter(|earlier| self.type_name(*earlier) == Some(type_name));
                found.extend(same.map(|earlier| self.with_uses_of(index, earlier)));
            }
            if matches!(self.best.steps[index], Step::Call { .. })
                && let (name, false) = type_name
                && let Some(value) = plain_literal(name)
            {
                let mut changed = self.best.clone();
                changed.steps[index] = Step::Constant { type_name: name.to_owned(), value };
                found.push(without_dead_steps(&changed));
            }
        }
        found
    }

    /// The type of a step that others use, and whether it is an array of these.
    fn type_name(&self, index: usize) -> Option<(&str, bool)> {
        let used =
            self.best.steps[index + 1..].iter().any(|step| step.uses().any(|used| used == slot(index)));
        if !used {
            return None;
        }
        match &self.best.steps[index] {
            Step::Constant { type_name, .. } => Some((type_name, false)),
            Step::Call { callable, .. } => {
                let result = self.results.get(callable)?.as_str();
                Some(result.strip_suffix("[]").map_or((result, false), |element| (element, true)))
            }
            Step::Array { element, .. } => Some((element, true)),
            Step::Stub { interface, .. } => Some((interface, false)),
        }
    }

    /// Everything that used one step uses an earlier one, and the step is gone.
    fn with_uses_of(&self, gone: usize, instead: usize) -> Sequence {
        let mut map: Vec<Option<Slot>> = Vec::with_capacity(self.best.steps.len());
        let mut steps = Vec::with_capacity(self.best.steps.len());
        for (index, step) in self.best.steps.iter().enumerate() {
            if index == gone {
                map.push(map[instead]);
                continue;
            }
            let copied = remap(step, &map);
            map.push(copied.map(|step| {
                steps.push(step);
                slot(steps.len() - 1)
            }));
        }
        without_dead_steps(&Sequence { steps })
    }

    /// With one exception less that is caught.
    fn uncaught(&self) -> Vec<Sequence> {
        let mut found = Vec::new();
        for index in self.calls() {
            let mut changed = self.best.clone();
            if let Step::Call { caught, .. } = &mut changed.steps[index]
                && std::mem::take(caught)
            {
                found.push(changed);
            }
        }
        found
    }

    /// With fewer elements and answers.
    fn narrower(&self) -> Vec<Sequence> {
        let mut found = Vec::new();
        for (index, step) in self.best.steps.iter().enumerate() {
            let (Step::Array { items, .. } | Step::Stub { answers: items, .. }) = step else { continue };
            let mut choices = vec![Vec::new()];
            let half = items.len() / 2;
            if half > 0 {
                choices.push(items[..half].to_vec());
                choices.push(items[half..].to_vec());
            }
            for place in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(place);
                choices.push(fewer);
            }
            for choice in choices {
                let mut changed = self.best.clone();
                match &mut changed.steps[index] {
                    Step::Array { items, .. } | Step::Stub { answers: items, .. } => *items = choice,
                    _ => {}
                }
                found.push(without_dead_steps(&changed));
            }
        }
        found
    }

    /// With one constant simpler.
    fn simpler(&self) -> Vec<Sequence> {
        let mut found = Vec::new();
        for (index, step) in self.best.steps.iter().enumerate() {
            let Step::Constant { value, .. } = step else { continue };
            for simple in simpler_literals(value) {
                let mut changed = self.best.clone();
                if let Step::Constant { value, .. } = &mut changed.steps[index] {
                    *value = simple;
                }
                found.push(changed);
            }
        }
        found
    }
}

/// Two values of such a type may hold quite different things, so that one cannot stand for the other.
fn says_little(type_name: &str) -> bool {
    type_name == "java.lang.Object" || type_name.starts_with("java.util.") || type_name.contains('<')
}

fn plain_literal(type_name: &str) -> Option<Literal> {
    Some(match type_name {
        "boolean" | "java.lang.Boolean" => Literal::Boolean(false),
        "byte" | "short" | "int" | "long" | "java.lang.Byte" | "java.lang.Short" | "java.lang.Integer"
        | "java.lang.Long" => Literal::Integer(0),
        "char" | "java.lang.Character" => Literal::Char(0x61),
        "float" | "java.lang.Float" => Literal::Float(0),
        "double" | "java.lang.Double" => Literal::Double(0),
        "java.lang.String" => Literal::Text(Vec::new()),
        _ => return None,
    })
}

/// Constants that may do as well, the simplest first.
fn simpler_literals(literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::Boolean(_) => vec![Literal::Boolean(false)],
        Literal::Integer(value) => simpler_integers(*value).into_iter().map(Literal::Integer).collect(),
        Literal::Char(_) => [0x61, 0x30, 0x20, 0x41].map(Literal::Char).to_vec(),
        Literal::Double(bits) => simpler_doubles(f64::from_bits(*bits))
            .into_iter()
            .map(|value| Literal::Double(value.to_bits()))
            .collect(),
        Literal::Float(bits) => simpler_doubles(f64::from(f32::from_bits(*bits)))
            .into_iter()
            .map(|value| Literal::Float(crate::literals::narrow(value).to_bits()))
            .collect(),
        Literal::Text(units) => simpler_texts(units).into_iter().map(Literal::Text).collect(),
        Literal::Null | Literal::Class(_) => Vec::new(),
    }
}

fn simpler_integers(value: i64) -> Vec<i64> {
    let mut found = vec![0, 1, 2, 10, 100];
    found.extend(value.checked_neg().filter(|positive| *positive > 0));
    for power in (0..19).rev().map(|digits| 10_i64.pow(digits)) {
        found.push(value - value % power);
    }
    let mut part = value / 2;
    while part != 0 {
        found.push(value - part);
        part /= 2;
    }
    found
}

fn simpler_doubles(value: f64) -> Vec<f64> {
    let rounded = [1.0, 10.0, 100.0, 1e4, 1e8].map(|scale| (value * scale).round() / scale);
    let mut found = vec![0.0, 1.0, 2.0, 0.5, 10.0, value.abs(), value.trunc()];
    found.extend(rounded);
    let mut part = value / 2.0;
    for _ in 0..12 {
        found.push(value - part);
        part /= 2.0;
    }
    found.retain(|candidate| candidate.is_finite());
    found
}

fn simpler_texts(units: &[u16]) -> Vec<Vec<u16>> {
    let mut found = vec![Vec::new(), vec![0x61], vec![0x30]];
    let half = units.len() / 2;
    found.push(units[..half].to_vec());
    found.push(units[half..].to_vec());
    for place in 0..units.len().min(60) {
        let mut shorter = units.to_vec();
        shorter.remove(place);
        found.push(shorter);
    }
    for place in 0..units.len().min(60) {
        for plain in [0x61, 0x30, 0x20] {
            let mut changed = units.to_vec();
            changed[place] = plain;
            found.push(changed);
        }
    }
    found
}

fn size(sequence: &Sequence) -> Size {
    let mut size =
        Size { calls: 0, steps: sequence.steps.len(), caught: 0, uses: 0, constants: 0, amount: 0 };
    for step in &sequence.steps {
        size.uses += step.uses().count();
        match step {
            Step::Call { caught, .. } => {
                size.calls += 1;
                size.caught += usize::from(*caught);
            }
            Step::Constant { value, .. } => {
                let (weight, amount) = literal_size(value);
                size.constants += weight;
                size.amount += amount;
            }
            Step::Array { .. } | Step::Stub { .. } => {}
        }
    }
    size
}

/// How much there is to read, and how much it is.
fn literal_size(literal: &Literal) -> (u64, u128) {
    match literal {
        Literal::Null | Literal::Class(_) => (0, 0),
        Literal::Boolean(value) => (0, u128::from(*value)),
        Literal::Integer(value) => {
            let digits = value.unsigned_abs().to_string();
            let significant = digits.trim_end_matches('0').len();
            let written = digits.len() + usize::from(*value < 0);
            ((written + 2 * significant) as u64, u128::from(value.unsigned_abs()))
        }
        Literal::Char(unit) => (unit_size(*unit), u128::from(*unit)),
        Literal::Double(bits) => double_size(f64::from_bits(*bits)),
        Literal::Float(bits) => double_size(f64::from(f32::from_bits(*bits))),
        Literal::Text(units) => (
            units.iter().map(|unit| 10 + unit_size(*unit)).sum(),
            units.iter().map(|unit| u128::from(*unit)).sum(),
        ),
    }
}

fn double_size(value: f64) -> (u64, u128) {
    if !value.is_finite() {
        return (100, 0);
    }
    let text = format!("{value:?}");
    let odd = value.to_bits() == (-0.0_f64).to_bits();
    let written =
        text.trim_end_matches(".0").trim_end_matches('0').len() + text.len() + usize::from(odd) * 50;
    (written as u64, u128::from(value.abs().to_bits()))
}

fn unit_size(unit: u16) -> u64 {
    match u8::try_from(unit) {
        Ok(b'a') => 0,
        Ok(b'0'..=b'9' | b'a'..=b'z') => 1,
        Ok(b'A'..=b'Z' | b' ') => 2,
        Ok(b'!'..=b'~') => 3,
        _ => 6,
    }
}

/// Constants stand right before the step that uses them first.
fn constants_at_use(sequence: &Sequence) -> Sequence {
    let is_constant = |index: usize| matches!(sequence.steps[index], Step::Constant { .. });
    let mut map: Vec<Option<Slot>> = vec![None; sequence.steps.len()];
    let mut steps = Vec::with_capacity(sequence.steps.len());
    for (index, step) in sequence.steps.iter().enumerate() {
        if is_constant(index) {
            continue;
        }
        for used in step.uses() {
            if map[used as usize].is_none() && is_constant(used as usize) {
                steps.push(sequence.steps[used as usize].clone());
                map[used as usize] = Some(slot(steps.len() - 1));
            }
        }
        if let Some(step) = remap(step, &map) {
            steps.push(step);
            map[index] = Some(slot(steps.len() - 1));
        }
    }
    Sequence { steps }
}
