//! A small program to search in, run by an interpreter of a few lines in two versions.

use bonafix_lang::{LangError, Run, RunScope};
use bonafix_model::{
    Callable, CallableKind, Catalog, Confirmation, Ending, Feedback, Goal, GoalPurpose, Literal,
    MissingMethod, Observation, Progress, Ran, Sequence, SequenceOutcome, Step, StepObservation, Subclass,
    Summary, TypeInfo, Value, Visibility,
};

pub(crate) const NEW_COUNTER: u32 = 0;
pub(crate) const ADD: u32 = 1;
pub(crate) const GET: u32 = 2;
pub(crate) const BELOW: u32 = 3;
pub(crate) const LARGEST: u32 = 4;
pub(crate) const PAINT: u32 = 5;
pub(crate) const DEPTH: u32 = 6;
pub(crate) const NEAR: u32 = 7;
pub(crate) const GATE: u32 = 18;

/// A catalog with a bit of everything.
pub(crate) fn catalog() -> Catalog {
    use CallableKind::{Constructor, Method, StaticGet, StaticMethod};
    let callable = |kind, owner: &str, name: &str, parameters: &[&str], result: &str| Callable {
        kind,
        owner: owner.to_owned(),
        name: name.to_owned(),
        descriptor: String::new(),
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        result: result.to_owned(),
        varargs: false,
        visibility: Visibility::Public,
        throws: Vec::new(),
    };
    let list = "java.util.ArrayList";
    let callables = vec![
        callable(Constructor, "p.Counter", "<init>", &[], "p.Counter"),
        callable(Method, "p.Counter", "add", &["int"], "void"),
        callable(Method, "p.Counter", "get", &[], "int"),
        callable(StaticMethod, "p.Limit", "below", &["int"], "boolean"),
        callable(
            StaticMethod,
            "p.Limit",
            "largest",
            &["java.util.List<java.lang.Integer>", "int[][]"],
            "int",
        ),
        callable(
            StaticMethod,
            "p.Limit",
            "paint",
            &[
                "p.Color",
                "java.lang.String",
                "p.Brush",
                "java.lang.Class",
                "java.lang.Object",
                "java.lang.Comparable",
            ],
            "java.lang.String",
        ),
        callable(Method, "p.Node", "depth", &["double", "char", "java.lang.Long", "byte[]"], "int"),
        callable(
            StaticMethod,
            "p.Limit",
            "near",
            &["double", "java.util.Map<java.lang.String, p.Node>"],
            "boolean",
        ),
        callable(Constructor, "p.Node", "<init>", &["p.Node", "int"], "p.Node"),
        callable(StaticMethod, "p.Node", "leaf", &[], "p.Node"),
        callable(StaticGet, "p.Color", "RED", &[], "p.Color"),
        callable(StaticGet, "p.Color", "BLUE", &[], "p.Color"),
        callable(Constructor, list, "<init>", &[], list),
        callable(Method, list, "add", &["java.lang.Object"], "boolean"),
        callable(Constructor, "java.util.HashMap", "<init>", &[], "java.util.HashMap"),
        callable(
            Method,
            "java.util.HashMap",
            "put",
            &["java.lang.Object", "java.lang.Object"],
            "java.lang.Object",
        ),
        callable(
            StaticMethod,
            "java.util.Arrays",
            "asList",
            &["java.lang.Object[]"],
            "java.util.List<java.lang.Object>",
        ),
        callable(Method, "p.Brush", "width", &["p.Color"], "int"),
    ];
    Catalog { callables, types: types() }
}

/// The same, with an abstract class `p.Gate` that something takes at [`GATE`].
pub(crate) fn catalog_with_gate() -> Catalog {
    let mut catalog = catalog();
    let taking = Callable {
        owner: "p.Limit".to_owned(),
        name: "gate".to_owned(),
        parameters: vec!["p.Gate".to_owned()],
        ..catalog.callables[BELOW as usize].clone()
    };
    let width =
        MissingMethod { name: "width".to_owned(), parameters: Vec::new(), result: "double".to_owned() };
    let close = MissingMethod { name: "close".to_owned(), result: "void".to_owned(), ..width.clone() };
    let like = catalog.types[0].clone();
    catalog.types.push(TypeInfo {
        name: "p.Gate".to_owned(),
        is_abstract: true,
        subclass: Some(Subclass { visibility: Visibility::Public, methods: vec![width, close] }),
        ..like
    });
    assert_eq!(catalog.callables.len(), GATE as usize);
    catalog.callables.push(taking);
    catalog
}

fn types() -> Vec<TypeInfo> {
    let info = |name: &str, is_interface: bool, supertypes: &[&str]| TypeInfo {
        name: name.to_owned(),
        is_abstract: is_interface,
        is_interface,
        is_functional: is_interface,
        supertypes: supertypes.iter().map(|name| (*name).to_owned()).collect(),
        is_subject: name.starts_with("p."),
        is_enum: name == "p.Color",
        is_inner: false,
        subclass: None,
    };
    vec![
        info("p.Counter", false, &["java.lang.Object"]),
        info("p.Limit", false, &["java.lang.Object"]),
        info("p.Node", false, &["java.lang.Object"]),
        info("p.Color", false, &["java.lang.Object", "java.lang.Enum"]),
        info("p.Brush", true, &[]),
        info("java.util.ArrayList", false, &["java.util.List", "java.util.Collection", "java.lang.Object"]),
        info("java.util.List", true, &["java.util.Collection"]),
        info("java.util.HashMap", false, &["java.util.Map", "java.lang.Object"]),
        info("java.util.Map", true, &[]),
        info("java.lang.Comparable", true, &[]),
    ]
}

pub(crate) fn constant(value: i64) -> Step {
    Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(value) }
}

pub(crate) fn call(callable: u32, receiver: Option<u32>, arguments: &[u32]) -> Step {
    Step::Call { callable, receiver, arguments: arguments.to_vec(), caught: false }
}

/// What a step left, as far as this program goes.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Nothing,
    Number(i64),
    /// Calls of `add` and their sum.
    Counter(u32, i64),
    Numbers(Vec<i64>),
}

/// Version 1 takes `999` for large, counts wrongly from the third `add` on, and forgets the last element of a list.
fn execute(input: &Sequence, version: u32) -> Observation {
    let mut cells: Vec<Cell> = Vec::new();
    let mut steps = Vec::new();
    for (step, number) in input.steps.iter().zip(0..) {
        let cell_of = |slot: &u32| cells[*slot as usize].clone();
        let made = match step {
            Step::Constant { value: Literal::Integer(value), .. } => Cell::Number(*value),
            Step::Constant { .. } | Step::Stub { .. } => Cell::Nothing,
            Step::Array { items, .. } => Cell::Numbers(
                items
                    .iter()
                    .filter_map(
                        |item| if let Cell::Number(value) = cell_of(item) { Some(value) } else { None },
                    )
                    .collect(),
            ),
            Step::Call { callable, receiver, arguments, .. } => {
                let first = arguments.first().map(cell_of);
                match (*callable, receiver.map(|slot| cell_of(&slot)), first) {
                    (NEW_COUNTER, ..) => Cell::Counter(0, 0),
                    (ADD, Some(Cell::Counter(times, sum)), Some(Cell::Number(value))) => {
                        let slot = receiver.unwrap_or_default() as usize;
                        cells[slot] = Cell::Counter(times + 1, sum.wrapping_add(value));
                        Cell::Nothing
                    }
                    (GET, Some(Cell::Counter(times, sum)), _) => {
                        Cell::Number(if version == 1 && times >= 3 { sum.wrapping_add(1) } else { sum })
                    }
                    (BELOW, _, Some(Cell::Number(value))) => {
                        Cell::Number(i64::from(value < if version == 1 { 999 } else { 1000 }))
                    }
                    (16, _, Some(numbers)) => numbers,
                    (LARGEST, _, Some(Cell::Numbers(values))) => {
                        let count = if version == 1 { values.len().saturating_sub(1) } else { values.len() };
                        Cell::Number(values[..count].iter().copied().max().unwrap_or_default())
                    }
                    _ => Cell::Nothing,
                }
            }
        };
        if let (Step::Call { .. }, Cell::Number(value)) = (step, &made) {
            let result = Some(Value::Long(*value));
            steps.push(StepObservation { step: number, result, ..StepObservation::default() });
        }
        cells.push(made);
    }
    Observation { steps, ending: Ending::Completed }
}

/// Runs inputs, counts them, keeps them where that is asked for.
pub(crate) struct FakeRun {
    catalog: Catalog,
    goals: Vec<Goal>,
    best: f64,
    pub(crate) ran: Vec<Sequence>,
    /// Tell how near an input came to `below(999)`.
    guided: bool,
    /// How long an input takes, from when so many were run.
    pub(crate) slow: Option<(usize, std::time::Duration)>,
}

impl FakeRun {
    pub(crate) fn new() -> Self {
        let goal = Goal { purpose: GoalPurpose::Part, text: "below parts".to_owned() };
        Self {
            catalog: catalog(),
            goals: vec![goal],
            best: f64::INFINITY,
            ran: Vec::new(),
            guided: true,
            slow: None,
        }
    }

    /// Without distances.
    pub(crate) fn blind() -> Self {
        Self { guided: false, ..Self::new() }
    }

    fn feedback(&mut self, input: &Sequence) -> Feedback {
        let mut feedback = Feedback { reached: true, ..Feedback::default() };
        for step in &input.steps {
            let Step::Call { callable: BELOW, arguments, .. } = step else { continue };
            let Some(Step::Constant { value: Literal::Integer(value), .. }) =
                input.steps.get(arguments[0] as usize)
            else {
                continue;
            };
            #[expect(clippy::cast_precision_loss, reason = "a distance")]
            let apart = (*value - 999).unsigned_abs() as f64;
            let distance = apart / (apart + 1.0);
            if self.guided && distance < self.best {
                self.best = distance;
                feedback.progress.push(Progress { goal: 0, distance });
            }
        }
        feedback
    }
}

impl Run for FakeRun {
    fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    fn goals(&self) -> &[Goal] {
        &self.goals
    }

    fn run(&mut self, inputs: &[Sequence], _scope: &RunScope) -> Result<Vec<Ran>, LangError> {
        let mut results = Vec::new();
        for input in inputs {
            if let Some((_, time)) = self.slow.filter(|(first, _)| self.ran.len() >= *first) {
                std::thread::sleep(time);
            }
            let (left, right) = (execute(input, 0), execute(input, 1));
            let outcome = if left == right {
                SequenceOutcome::Same { summary: Summary::default(), observation: None }
            } else {
                SequenceOutcome::Differs { observations: vec![left, right], leaked_threads: false }
            };
            results.push(Ran { outcome, feedback: self.feedback(input) });
            self.ran.push(input.clone());
        }
        Ok(results)
    }

    fn confirm(&mut self, _: &Sequence, _: u32, _: &RunScope) -> Result<Vec<Confirmation>, LangError> {
        Ok(Vec::new())
    }
}
