//! A counterexample as the source of one JUnit test, and an input on which two versions differ as a question.

mod question;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use bonafix_lang::{Behaviour, WitnessDraft, WitnessError};
use bonafix_model::{
    Callable, DifferenceClass, DifferenceKind, Element, Exception, Observation, Sequence, Slot, Step,
    StepObservation, Value, VersionRole, Visibility,
};

pub(super) use question::ask;

use super::assertion::{Asserter, Assertion, not_expressible};
use super::render::{Body, class_under_test};
use super::types::{self, Names};
use super::{Care, Framework, stub};

/// What the patched version may take where the reference comes to an end at once.
const LIMIT_SECONDS: u32 = 10;

/// Name of the test method of a question, which JUnit 3 knows by its beginning.
const QUESTION_METHOD: &str = "testQuestion";

/// A test as source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestSource {
    /// Binary name of the test class.
    pub(super) class: String,
    pub(super) text: String,
    /// The input, one statement a line.
    pub(super) input: Vec<String>,
    /// What is compared, as source.
    pub(super) what: String,
}

impl TestSource {
    /// Where it lies below a source folder.
    pub(super) fn path(&self) -> String {
        format!("{}.java", self.class.replace('.', "/"))
    }
}

/// The inside of a test method.
struct Method {
    input: Vec<String>,
    /// After the input.
    check: Vec<String>,
    what: String,
    /// All of it must come to an end.
    limited: bool,
    needs_stub_helper: bool,
}

/// Writes the test.
pub(super) fn compose(
    draft: &WitnessDraft<'_>,
    framework: Framework,
    care: Care,
) -> Result<TestSource, WitnessError> {
    let plan = Plan::new(draft, "WitnessTest", framework, care)?;
    plan.write(|names, methods| {
        let composer = plan.composer(draft, names, methods, false);
        let method = composer.method()?;
        Ok((composer.class_text(&plan.simple, &composer.comment(), &method), method))
    })
}

/// What is known of a test before a line of it is written.
struct Plan<'a> {
    draft: &'a WitnessDraft<'a>,
    sequence: Sequence,
    package: String,
    /// The class without its package.
    simple: String,
    framework: Framework,
    care: Care,
}

/// Methods of the framework that were used.
type Methods = RefCell<BTreeSet<&'static str>>;

impl<'a> Plan<'a> {
    fn new(
        draft: &'a WitnessDraft<'a>,
        ending: &str,
        framework: Framework,
        care: Care,
    ) -> Result<Self, WitnessError> {
        let sequence = until_the_difference(draft);
        let package = package_for(draft, &sequence)?;
        let subject = class_under_test(draft.catalog, &sequence).unwrap_or("Program");
        let unpackaged = subject.rsplit('.').next().unwrap_or(subject);
        let simple = format!("{}{ending}", unpackaged.split('$').next().unwrap_or(unpackaged));
        Ok(Self { draft, sequence, package, simple, framework, care })
    }

    fn composer<'c>(
        &'c self,
        draft: &'c WitnessDraft<'c>,
        names: &'c Names<'c>,
        methods: &'c Methods,
        asks: bool,
    ) -> Composer<'c> {
        Composer {
            draft,
            sequence: &self.sequence,
            names,
            package: &self.package,
            framework: self.framework,
            care: self.care,
            methods,
            asks,
        }
    }

    /// Writes twice: what is imported is known after the first time.
    fn write(
        &self,
        text: impl Fn(&Names<'_>, &Methods) -> Result<(String, Method), WitnessError>,
    ) -> Result<TestSource, WitnessError> {
        let mut names = Names::new(self.draft.catalog, &self.package);
        let methods = RefCell::default();
        text(&names, &methods)?;
        names.settle(&[self.simple.as_str()]);
        let (text, method) = text(&names, &methods)?;
        let package = if self.package.is_empty() { String::new() } else { format!("{}.", self.package) };
        let class = format!("{package}{}", self.simple);
        Ok(TestSource { class, text, input: method.input, what: method.what })
    }
}

/// The sequence without what comes after the place of the difference.
fn until_the_difference(draft: &WitnessDraft<'_>) -> Sequence {
    let mut sequence = draft.input.clone();
    if let Some(difference) = draft.difference {
        sequence.steps.truncate(difference.location.step as usize + 1);
    }
    sequence
}

/// The package in which all that the sequence calls is visible.
fn package_for(draft: &WitnessDraft<'_>, sequence: &Sequence) -> Result<String, WitnessError> {
    let callables = &draft.catalog.callables;
    let mut closed: BTreeSet<&str> = BTreeSet::new();
    for callable in sequence.callables().map(|id| &callables[id as usize]) {
        // A class without a package can be named only by its like.
        let unnamed = types::package_of(&callable.owner).is_empty();
        if callable.visibility != Visibility::Public || unnamed {
            closed.insert(types::package_of(&callable.owner));
        }
    }
    let closed: Vec<&str> = closed.into_iter().collect();
    match closed.as_slice() {
        [] => Ok(super::render::package_under_test(draft.catalog, sequence)),
        [one] => Ok((*one).to_owned()),
        more => Err(WitnessError::NotExpressible(format!(
            "it calls what is not public in several packages: {}",
            more.join(", ")
        ))),
    }
}

struct Composer<'a> {
    draft: &'a WitnessDraft<'a>,
    sequence: &'a Sequence,
    names: &'a Names<'a>,
    package: &'a str,
    framework: Framework,
    care: Care,
    methods: &'a Methods,
    /// Nobody knows what is right.
    asks: bool,
}

impl Composer<'_> {
    fn method(&self) -> Result<Method, WitnessError> {
        match (self.draft.class, self.draft.reference) {
            (DifferenceClass::Exc1 | DifferenceClass::ExcType, Behaviour::Observed(observation)) => {
                let Some(exception) = self.thrown_last(observation) else {
                    return not_expressible("the reference throws nothing");
                };
                self.throws(exception)
            }
            (DifferenceClass::Assert, Behaviour::Observed(observation)) => self.compares(observation),
            (
                DifferenceClass::Exc2 | DifferenceClass::Error | DifferenceClass::Timeout,
                Behaviour::Observed(seen),
            ) => Ok(self.ends_well(seen)),
            (DifferenceClass::ExcLoc, _) => {
                not_expressible("where an exception comes from is no matter of a test")
            }
            (_, Behaviour::BrokeDown(_)) => not_expressible("the reference breaks down"),
        }
    }

    fn body(&self, kept: &BTreeSet<Slot>) -> Body<'_> {
        let reference = match self.draft.reference {
            Behaviour::Observed(reference) => Some(reference),
            Behaviour::BrokeDown(_) => None,
        };
        Body::render(self.names, self.sequence, reference, kept, self.care)
    }

    fn asserter(&self) -> Asserter<'_> {
        Asserter {
            names: self.names,
            framework: self.framework,
            package: self.package,
            precision: self.draft.precision,
            methods: self.methods,
        }
    }

    fn last_call(&self) -> Option<(&Callable, Option<Slot>, &[Slot])> {
        match self.sequence.steps.last()? {
            Step::Call { callable, receiver, arguments, .. } => {
                Some((&self.draft.catalog.callables[*callable as usize], *receiver, arguments))
            }
            _ => None,
        }
    }

    fn last_step<'o>(&self, observation: &'o Observation) -> Option<&'o StepObservation> {
        let number = Slot::try_from(self.sequence.steps.len()).ok()?.checked_sub(1)?;
        observation.steps.iter().find(|step| step.step == number)
    }

    /// What the last call throws.
    fn thrown_last<'o>(&self, observation: &'o Observation) -> Option<&'o Exception> {
        observation.thrown_at(Slot::try_from(self.sequence.steps.len()).ok()?.checked_sub(1)?)
    }

    /// Two values at one place.
    fn compares(&self, reference: &Observation) -> Result<Method, WitnessError> {
        let (Some(difference), Behaviour::Observed(patched)) = (self.draft.difference, self.draft.patched)
        else {
            return not_expressible("it is not known where the values differ");
        };
        if let (DifferenceKind::ExceptionMessage, Some(exception)) =
            (difference.kind, self.thrown_last(reference))
        {
            return self.says(exception);
        }
        let location = &difference.location;
        let element = location.element;
        let (Some(expected), Some(actual)) =
            (part(self.last_step(reference), element), part(self.last_step(patched), element))
        else {
            return not_expressible("the values that differ were not kept");
        };
        let Some((called, receiver, arguments)) = self.last_call() else {
            return not_expressible("the difference is not in a call");
        };
        let looked_at = match element {
            Element::Receiver => receiver,
            Element::Argument(number) => arguments.get(number as usize).copied(),
            Element::Return | Element::Exception | Element::Statics => None,
        };
        let mut body = self.body(&looked_at.into_iter().collect());
        let asserter = self.asserter();
        let mut input = body.lines.clone();
        let assertion: Assertion = if let Some(slot) = looked_at {
            let statement = body.take_last_statement().unwrap_or_default();
            input.extend(self.ended_as_it_may(reference, statement));
            asserter.value(&body.slot(slot).clone(), expected, Some(actual), &location.path)?
        } else {
            let Some(value) = body.last_value().cloned() else {
                return not_expressible("the call gives nothing");
            };
            input.push(format!("{};", value.text));
            match (expected, actual) {
                (Value::Int(expected), Value::Int(actual))
                    if value.java_type == "int"
                        && matches!(called.name.as_str(), "compareTo" | "compare") =>
                {
                    asserter.sign(&value, *expected, *actual)
                }
                _ if location.path.is_empty() || is_short(&value.text) => {
                    asserter.value(&value, expected, Some(actual), &location.path)?
                }
                _ => {
                    let kept = body.keep_last().unwrap_or(value);
                    input.pop();
                    input.extend(body.lines.last().cloned());
                    asserter.value(&kept, expected, Some(actual), &location.path)?
                }
            }
        };
        let mut lines = body.lines.clone();
        if looked_at.is_some() {
            lines.clone_from(&input);
        }
        lines.push(assertion.line);
        Ok(Method {
            input,
            check: lines,
            what: assertion.what,
            limited: false,
            needs_stub_helper: body.needs_stub_helper,
        })
    }

    /// The last call as statements; an exception that it ends with is not what is looked at.
    fn ended_as_it_may(&self, reference: &Observation, statement: String) -> Vec<String> {
        if self.thrown_last(reference).is_none() {
            return vec![statement];
        }
        vec![
            "try {".to_owned(),
            format!("    {statement}"),
            "} catch (Throwable expected) {".to_owned(),
            "    // In both versions. What it leaves behind is not the same.".to_owned(),
            "}".to_owned(),
        ]
    }

    /// The reference throws, and nothing before it does.
    fn throws(&self, exception: &Exception) -> Result<Method, WitnessError> {
        let mut body = self.body(&BTreeSet::new());
        let Some(statement) = body.take_last_statement() else { return not_expressible("no call throws") };
        let call = statement.trim_end_matches(';').to_owned();
        let mut check = body.lines.clone();
        let named = self.names.is_nameable(&exception.type_name);
        let direct = named && self.care == Care::Usual && self.may_be_caught(&exception.type_name);
        let methods = |name: &'static str| self.methods.borrow_mut().insert(name);
        if self.draft.class == DifferenceClass::ExcType || !direct {
            // The class itself, since the other exception may be one of its subclasses.
            methods("assertEquals");
            let name = super::literal::string(&exception.type_name);
            check.extend(asks_what_is_thrown(&statement, &name, "getClass().getName()"));
        } else if self.framework == Framework::Jupiter {
            methods("assertThrows");
            let lambda = if statement.contains(" = ") { format!("{{ {statement} }}") } else { call.clone() };
            check.push(format!(
                "assertThrows({}.class, () -> {lambda});",
                self.names.show(&exception.type_name)
            ));
        } else {
            methods("fail");
            let shown = self.names.show(&exception.type_name);
            check.extend([
                "try {".to_owned(),
                format!("    {statement}"),
                format!("    fail(\"{shown} expected\");"),
                format!("}} catch ({shown} expected) {{"),
                if self.asks { "    // That is it." } else { "    // As the reference does." }.to_owned(),
                "}".to_owned(),
            ]);
        }
        let mut input = body.lines;
        input.push(statement);
        Ok(Method { input, check, what: call, limited: false, needs_stub_helper: body.needs_stub_helper })
    }

    /// The reference throws, with words of its own.
    fn says(&self, exception: &Exception) -> Result<Method, WitnessError> {
        let mut body = self.body(&BTreeSet::new());
        let Some(statement) = body.take_last_statement() else { return not_expressible("no call throws") };
        self.methods.borrow_mut().insert("assertEquals");
        let message = exception.message.as_deref().map_or_else(|| "null".to_owned(), super::literal::string);
        let mut check = body.lines.clone();
        check.extend(asks_what_is_thrown(&statement, &message, "getMessage()"));
        let mut input = body.lines;
        input.push(statement);
        let what = "thrown.getMessage()".to_owned();
        Ok(Method { input, check, what, limited: false, needs_stub_helper: body.needs_stub_helper })
    }

    /// A checked exception can be caught only where it is declared. One of which nothing is known is taken for an
    /// unchecked one, until the compiler says otherwise.
    fn may_be_caught(&self, type_name: &str) -> bool {
        let above = |name: &str| self.names.is_assignable(type_name, name);
        let declared =
            self.last_call().is_some_and(|(called, ..)| called.throws.iter().any(|name| above(name)));
        let checked =
            matches!(type_name, "java.lang.CloneNotSupportedException" | "java.lang.InterruptedException")
                || type_name.starts_with("java.lang.reflect.")
                || type_name.starts_with("java.io.") && type_name != "java.io.UncheckedIOException";
        declared || !checked
    }

    /// The reference comes to an end and throws nothing, whatever it gives.
    fn ends_well(&self, reference: &Observation) -> Method {
        let limited = self.draft.class == DifferenceClass::Timeout;
        let mut body = self.body(&BTreeSet::new());
        let result = self.last_step(reference).and_then(|step| step.result.as_ref());
        let value = body.last_value().cloned();
        let assertion = match (&value, result) {
            (Some(value), Some(result)) => self.asserter().value(value, result, None, &[]).ok(),
            _ => None,
        };
        let mut input = body.lines.clone();
        let mut check = body.lines.clone();
        let statement = body.take_last_statement().unwrap_or_default();
        input.push(statement.clone());
        let what = statement.trim_end_matches(';').to_owned();
        if let Some(assertion) = assertion {
            check.push(assertion.line);
        } else {
            check.extend([format!("// {}", self.what_happens()), statement]);
        }
        Method { input, check, what, limited, needs_stub_helper: body.needs_stub_helper }
    }

    fn what_happens(&self) -> String {
        if self.asks {
            return "Ends without an exception.".to_owned();
        }
        let patched = match self.draft.patched {
            Behaviour::Observed(patched) => match self.thrown_last(patched) {
                Some(exception) => format!("throws {}", exception.type_name),
                None => "breaks down".to_owned(),
            },
            Behaviour::BrokeDown(breakdown) => breakdown.to_string(),
        };
        format!("Ends without an exception; the patched version {patched}.")
    }

    fn class_text(&self, simple: &str, comment: &[String], method: &Method) -> String {
        // Names that are shown are imported, so the class comes before its imports.
        let class = self.class_lines(simple, method);
        let mut lines = Vec::new();
        if !self.package.is_empty() {
            lines.extend([format!("package {};", self.package), String::new()]);
        }
        let holder = match self.framework {
            Framework::JUnit3 => None,
            Framework::JUnit4 => Some("org.junit.Assert"),
            Framework::Jupiter => Some("org.junit.jupiter.api.Assertions"),
        };
        let methods = self.methods.borrow();
        if let Some(holder) = holder.filter(|_| !methods.is_empty()) {
            lines.extend(methods.iter().map(|name| format!("import static {holder}.{name};")));
            lines.push(String::new());
        }
        let imports = self.names.imports();
        if !imports.is_empty() {
            lines.extend(imports.iter().map(|name| format!("import {name};")));
            lines.push(String::new());
        }
        lines.extend_from_slice(comment);
        lines.extend(class);
        lines.join("\n") + "\n"
    }

    fn class_lines(&self, simple: &str, method: &Method) -> Vec<String> {
        let extends = match self.framework {
            Framework::JUnit3 => format!(" extends {}", self.names.show("junit.framework.TestCase")),
            _ => String::new(),
        };
        let mut lines = vec![
            "@SuppressWarnings({\"rawtypes\", \"unchecked\", \"deprecation\"})".to_owned(),
            format!("public class {simple}{extends} {{"),
        ];
        match self.framework {
            Framework::JUnit3 => {}
            Framework::JUnit4 if method.limited => {
                let limit = LIMIT_SECONDS * 1000;
                lines.push(format!("    @{}(timeout = {limit})", self.names.show("org.junit.Test")));
            }
            Framework::JUnit4 => lines.push(format!("    @{}", self.names.show("org.junit.Test"))),
            Framework::Jupiter => {
                lines.push(format!("    @{}", self.names.show("org.junit.jupiter.api.Test")));
            }
        }
        let name = if self.asks { QUESTION_METHOD } else { super::TEST_METHOD };
        lines.push(format!("    public void {name}() throws {} {{", self.thrown()));
        let check = match self.framework {
            Framework::Jupiter if method.limited => self.limited_preemptively(&method.check),
            Framework::JUnit3 if method.limited => limited_in_a_thread(&method.check),
            _ => method.check.clone(),
        };
        lines.extend(check.iter().map(|line| format!("        {line}")));
        lines.push("    }".to_owned());
        if method.needs_stub_helper {
            lines.push(stub::HELPER.trim_end_matches('\n').to_owned());
        }
        lines.push("}".to_owned());
        lines
    }

    fn limited_preemptively(&self, check: &[String]) -> Vec<String> {
        self.methods.borrow_mut().insert("assertTimeoutPreemptively");
        let duration = self.names.show("java.time.Duration");
        let mut lines =
            vec![format!("assertTimeoutPreemptively({duration}.ofSeconds({LIMIT_SECONDS}), () -> {{")];
        lines.extend(check.iter().map(|line| format!("    {line}")));
        lines.push("});".to_owned());
        lines
    }

    fn comment(&self) -> Vec<String> {
        let class = self.draft.class.name();
        let has_reference = self.draft.versions.iter().any(|version| version.role == VersionRole::Reference);
        let (right, title) =
            if has_reference { ("reference", "Reference") } else { ("buggy version", "Buggy") };
        let mut lines =
            vec!["/**".to_owned(), format!(" * Passes on the {right}, fails on the patched version.")];
        let (expected, actual) = outcomes(self.draft);
        lines.push(format!(" * {title}: {}.", comment_text(&expected)));
        lines.push(format!(" * Patched: {} ({class}).", comment_text(&actual)));
        lines.push(" */".to_owned());
        lines
    }

    fn thrown(&self) -> &'static str {
        let throws_more = self.sequence.callables().any(|id| {
            let callable = &self.draft.catalog.callables[id as usize];
            callable.throws.iter().any(|name| name == "java.lang.Throwable")
        });
        if throws_more { "Throwable" } else { "Exception" }
    }
}

/// Catches what a statement throws, whatever it is, and compares what it answers.
fn asks_what_is_thrown(statement: &str, expected: &str, question: &str) -> Vec<String> {
    vec![
        "Throwable thrown = null;".to_owned(),
        "try {".to_owned(),
        format!("    {statement}"),
        "} catch (Throwable expected) {".to_owned(),
        "    thrown = expected;".to_owned(),
        "}".to_owned(),
        format!("assertEquals({expected}, thrown == null ? null : thrown.{question});"),
    ]
}

/// JUnit 3 knows no limits.
fn limited_in_a_thread(check: &[String]) -> Vec<String> {
    let mut lines = vec![
        "final Throwable[] thrown = new Throwable[1];".to_owned(),
        "Thread thread = new Thread() {".to_owned(),
        "    @Override".to_owned(),
        "    public void run() {".to_owned(),
        "        try {".to_owned(),
    ];
    lines.extend(check.iter().map(|line| format!("            {line}")));
    lines.extend(
        [
            "        } catch (Throwable any) {",
            "            thrown[0] = any;",
            "        }",
            "    }",
            "};",
            "thread.setDaemon(true);",
            "thread.start();",
        ]
        .map(str::to_owned),
    );
    lines.push(format!("thread.join({});", LIMIT_SECONDS * 1000));
    lines.push("assertFalse(\"does not come to an end\", thread.isAlive());".to_owned());
    lines.push("assertNull(thrown[0]);".to_owned());
    lines
}

/// What both versions do, for people.
pub(super) fn outcomes(draft: &WitnessDraft<'_>) -> (String, String) {
    let ended = |behaviour: Behaviour<'_>| match behaviour {
        Behaviour::Observed(observation) => observation.ending.to_string(),
        Behaviour::BrokeDown(breakdown) => breakdown.to_string(),
    };
    match draft.difference {
        Some(difference) => (
            difference.left.clone().unwrap_or_else(|| "nothing".to_owned()),
            difference.right.clone().unwrap_or_else(|| "nothing".to_owned()),
        ),
        None => (ended(draft.reference), ended(draft.patched)),
    }
}

/// A text that can stand in a comment: short, in one line, ASCII, and without what ends the comment or is read as an
/// escape.
fn comment_text(text: &str) -> String {
    let mut plain = String::new();
    for character in text.chars().take(200) {
        match character {
            '*' | '\\' | '@' | '<' | '>' | '&' => {
                let _ = write!(plain, "&#{};", u32::from(character));
            }
            ' '..='~' => plain.push(character),
            '\n' => plain.push(' '),
            _ => plain.push('?'),
        }
    }
    plain
}

fn is_short(text: &str) -> bool {
    text.len() <= 40
}

fn part(step: Option<&StepObservation>, element: Element) -> Option<&Value> {
    let step = step?;
    match element {
        Element::Return => step.result.as_ref(),
        Element::Receiver => step.receiver.as_ref(),
        Element::Argument(number) => {
            step.arguments.iter().find(|(at, _)| *at == number).map(|(_, value)| value)
        }
        // Shown by reading it, which is a call of its own.
        Element::Exception | Element::Statics => None,
    }
}
