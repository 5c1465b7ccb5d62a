//! Reports of AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer on standard error.
//!
//! Read line by line. A report is a head, the stack where it happened, stacks under headings that say where the memory
//! came from, and a summary; what stands around it is the program's own.

use bonafix_model::{Detector, Fault, Frame, Leaked};
use camino::Utf8Path;
use memchr::memmem;

use super::place::Named;
use super::{Parsed, place, undefined};

/// Stands above each report of AddressSanitizer and LeakSanitizer.
const RULE: &str = "=================================================================";
/// Headings above stacks of memory's past.
const ORIGINS: [&str; 4] =
    ["freed by thread", "allocated by thread", "located in stack of thread", "poisoned by"];
/// How names of sources end.
const SOURCES: [&str; 14] =
    ["c", "h", "cc", "cpp", "cxx", "C", "hh", "hpp", "hxx", "inc", "inl", "y", "l", "def"];
/// Longest stack that is kept: the inner and the outer half of endless recursion.
const LONGEST: usize = 64;

/// Takes the reports of sanitizers out of standard error. Files are relative to `tree`.
pub fn parse(stderr: &[u8], tree: &Utf8Path) -> Parsed {
    let reports = ["Sanitizer", ": runtime error: "];
    if !reports.iter().any(|words| memmem::find(stderr, words.as_bytes()).is_some()) {
        return Parsed { rest: stderr.to_vec(), ..Parsed::default() };
    }
    let mut reader = Reader { tree, parsed: Parsed::default(), within: Within::Program };
    for line in stderr.split_inclusive(|&byte| byte == b'\n') {
        reader.line(line);
    }
    reader.finish()
}

/// What the last lines were part of.
enum Within {
    /// The program's own.
    Program,
    /// The rule above a report, and perhaps the empty line that LeakSanitizer puts above the rule.
    Announced,
    /// A report with a head; the next stack is where it happened, or an origin, or of no interest.
    Report { fault: Option<Fault>, next: Next, undefined: bool },
    /// Behind the summary: the shadow bytes.
    Aftermath,
}

/// What the next frames are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Stack,
    Origin,
    Nothing,
}

struct Reader<'a> {
    tree: &'a Utf8Path,
    parsed: Parsed,
    within: Within,
}

impl Reader<'_> {
    fn line(&mut self, raw: &[u8]) {
        let text = String::from_utf8_lossy(raw);
        let text = text.trim_end_matches(['\n', '\r']);
        if self.begins(text) {
            return;
        }
        let ours = match &self.within {
            Within::Program => is_remark(text),
            Within::Announced => text.is_empty() || is_remark(text),
            Within::Report { .. } => self.goes_on(text),
            Within::Aftermath => is_shadow(text),
        };
        if !ours {
            self.close();
            self.parsed.rest.extend_from_slice(raw);
        }
    }

    /// A line that begins a report. What the program has written before it on the same line is the program's.
    fn begins(&mut self, text: &str) -> bool {
        let announced = [RULE, "Sanitizer:DEADLYSIGNAL"].iter().any(|words| text.ends_with(words));
        if announced {
            self.close();
            let before = text.find(RULE).or_else(|| text.rfind("AddressSanitizer:DEADLY"));
            let before = before.or_else(|| text.rfind("UndefinedBehaviorSanitizer:DEADLY")).unwrap_or(0);
            self.own(&text[..before]);
            if text.ends_with(RULE) && text.len() == RULE.len() {
                self.drop_empty_line();
            }
            self.within = Within::Announced;
        } else if let Some(head) = headline(text) {
            self.close();
            self.within = Within::Report { fault: fault_of(head), next: Next::Stack, undefined: false };
        } else if let Some((own, place, message)) = undefined_head(text, self.tree) {
            self.close();
            self.own(own);
            let fault = Some(self.undefined(place, message));
            self.within = Within::Report { fault, next: Next::Stack, undefined: true };
        } else {
            return false;
        }
        true
    }

    fn undefined(&self, place: &str, message: &str) -> Fault {
        let (path, line) = place::path_and_line(place);
        let file = match place::below(path, self.tree) {
            inside if inside.is_empty() => place::clean(path).to_string(),
            inside => inside,
        };
        Fault {
            detector: Detector::Undefined,
            kind: undefined::kind(message).to_owned(),
            message: message.to_owned(),
            // Stands for the stack until that comes, if it comes.
            stack: vec![Frame { function: String::new(), file, line }],
            origins: Vec::new(),
        }
    }

    /// A line inside of a report: is it the report's?
    fn goes_on(&mut self, text: &str) -> bool {
        let Within::Report { fault, next, undefined } = &mut self.within else { return false };
        if let Some(named) = place::frame(text, self.tree) {
            if let (Some(fault), Named::Program(frame)) = (fault, named) {
                add(fault, *next, frame);
            }
            return true;
        }
        if text.starts_with("SUMMARY: ") {
            if let (Some(fault), Some(kind)) = (fault, summary(text)) {
                fault.kind = kind;
            }
            self.close();
            self.within = Within::Aftermath;
            return true;
        }
        if *undefined {
            return is_note(text) || text.is_empty() && fault.as_ref().is_some_and(has_stack);
        }
        if let Some(leak) = leak(text) {
            let leaked = self.parsed.leaked.get_or_insert_default();
            leaked.definitely += leak.definitely;
            leaked.indirectly += leak.indirectly;
        } else if ORIGINS.iter().any(|heading| text.contains(heading)) {
            *next = Next::Origin;
            open_origin(fault, Vec::new());
        } else if let Some(defined) = global(text, self.tree) {
            open_origin(fault, vec![defined]);
        } else if text.contains(" created by ") {
            *next = Next::Nothing;
        }
        true
    }

    /// Puts the report that has come to an end with the others.
    fn close(&mut self) {
        if let Within::Report { fault: Some(mut fault), .. } =
            std::mem::replace(&mut self.within, Within::Program)
        {
            fault.origins.retain(|origin| !origin.is_empty());
            shorten(&mut fault.stack);
            self.parsed.faults.push(fault);
        }
    }

    fn own(&mut self, text: &str) {
        self.parsed.rest.extend_from_slice(text.as_bytes());
    }

    /// LeakSanitizer puts an empty line above its report.
    fn drop_empty_line(&mut self) {
        let rest = &mut self.parsed.rest;
        if rest.ends_with(b"\n\n") || rest == b"\n" {
            rest.pop();
        }
    }

    fn finish(mut self) -> Parsed {
        self.close();
        self.parsed
    }
}

/// `own text a.c:17:32: runtime error: message`: what the program wrote last, the place, the message.
///
/// Interpreters speak of runtime errors too, in the scripts that they run.
fn undefined_head<'a>(text: &'a str, tree: &Utf8Path) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, message) = text.split_once(": runtime error: ")?;
    let word = || Some(before.len() - before.rsplit(char::is_whitespace).next()?.len());
    let (own, place) = before.split_at(before.rfind(tree.as_str()).or_else(word)?);
    let mut parts = place.rsplitn(3, ':');
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    let numbered = is_number(parts.next()) && is_number(parts.next());
    let source = Utf8Path::new(parts.next()?);
    let known = source.extension().is_some_and(|extension| SOURCES.contains(&extension));
    (numbered && (known || tree.join(source).is_file())).then_some((own, place, message))
}

/// The stack of UBSan's own head gives way to the real one, which has functions.
fn add(fault: &mut Fault, next: Next, frame: Frame) {
    match next {
        Next::Stack => {
            if fault.detector == Detector::Undefined && !has_stack(fault) {
                fault.stack.clear();
            }
            fault.stack.push(frame);
        }
        Next::Origin => {
            if let Some(origin) = fault.origins.last_mut() {
                origin.push(frame);
            }
        }
        Next::Nothing => {}
    }
}

fn open_origin(fault: &mut Option<Fault>, stack: Vec<Frame>) {
    if let Some(fault) = fault {
        fault.origins.push(stack);
    }
}

fn has_stack(fault: &Fault) -> bool {
    fault.stack.iter().any(|frame| !frame.function.is_empty())
}

/// The inner and the outer half of a long stack.
fn shorten(stack: &mut Vec<Frame>) {
    if stack.len() > LONGEST {
        stack.drain(LONGEST / 2..stack.len() - LONGEST / 2);
    }
}

/// `heap-buffer-overflow on address …` of `==12==ERROR: AddressSanitizer: heap-buffer-overflow on address …`.
fn headline(text: &str) -> Option<&str> {
    let (process, rest) = text.strip_prefix("==")?.split_once("==")?;
    let rest = process.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)?;
    let (detector, what) = rest.strip_prefix("ERROR: ")?.split_once(": ")?;
    detector.ends_with("Sanitizer").then_some(what)
}

/// The fault that a headline is about; none for leaks, which are counted.
fn fault_of(head: &str) -> Option<Fault> {
    if head.starts_with("detected memory leaks") {
        return None;
    }
    let kind = stable(kind_in(head));
    let detector = if kind.starts_with("SIG") { Detector::Crash } else { Detector::Address };
    Some(Fault { detector, kind, message: head.to_owned(), stack: Vec::new(), origins: Vec::new() })
}

/// The kind in a headline, as a summary would have it.
fn kind_in(head: &str) -> &str {
    let phrases = [
        ("attempting double-free", "double-free"),
        ("attempting free on address", "bad-free"),
        ("attempting to call malloc_usable_size", "bad-malloc_usable_size"),
        ("requested allocation size", "allocation-size-too-big"),
        ("allocator is out of memory", "out-of-memory"),
        ("specified RSS limit", "rss-limit-exceeded"),
    ];
    let phrase = phrases.iter().find(|(words, _)| head.starts_with(words)).map(|&(_, kind)| kind);
    phrase.unwrap_or_else(|| head.split([' ', ':', '(']).next().unwrap_or(head))
}

/// The kind in `SUMMARY: AddressSanitizer: double-free (/bin/x+0xa3) in free`; none where it is a sum of leaks or has
/// nothing to say.
fn summary(text: &str) -> Option<String> {
    let (detector, rest) = text.strip_prefix("SUMMARY: ")?.split_once(": ")?;
    let kind = rest.split(' ').next()?;
    (detector == "AddressSanitizer" && !kind.starts_with(|c: char| c.is_ascii_digit())).then(|| stable(kind))
}

/// The word for a kind.
fn stable(kind: &str) -> String {
    match kind {
        "SEGV" | "BUS" | "FPE" | "ILL" | "ABRT" | "TRAP" => format!("SIG{kind}"),
        "heap-use-after-free" => "use-after-free".to_owned(),
        other => other.to_owned(),
    }
}

/// `Direct leak of 16 byte(s) in 1 object(s) allocated from:`.
fn leak(text: &str) -> Option<Leaked> {
    let (sort, rest) = text.split_once(" leak of ")?;
    let bytes = rest.split_once(" byte(s)")?.0.parse().ok()?;
    match sort {
        "Direct" => Some(Leaked { definitely: bytes, ..Leaked::default() }),
        "Indirect" => Some(Leaked { indirectly: bytes, ..Leaked::default() }),
        _ => None,
    }
}

/// Where the global variable of `… of global variable 'g' defined in 'a.c:9:5' (0x55) of size 16` stands.
fn global(text: &str, tree: &Utf8Path) -> Option<Frame> {
    let (_, rest) = text.split_once("global variable '")?;
    let (_, rest) = rest.split_once("defined in '")?;
    let (path, line) = place::path_and_line(rest.split_once('\'')?.0);
    let file = match place::below(path, tree) {
        inside if inside.is_empty() && !path.starts_with('/') => place::clean(path).to_string(),
        inside => inside,
    };
    Some(Frame { function: String::new(), file, line })
}

/// `0x60: note: pointer points here`, the bytes there, and the mark below them.
fn is_note(text: &str) -> bool {
    let dump = |text: &str| {
        let mut words = text.split_whitespace();
        text.starts_with(' ')
            && words.all(|word| {
                word == "^" || word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
    };
    text.contains(": note: ") || dump(text) && !text.trim().is_empty()
}

/// What stands behind the summary.
fn is_shadow(text: &str) -> bool {
    text.starts_with("Shadow byte")
        || text.starts_with("=>0x")
        || text.starts_with("  ") && text.contains(':')
        || is_remark(text)
}

/// `==12==ABORTING`, `==12==WARNING: AddressSanitizer failed to allocate …`.
fn is_remark(text: &str) -> bool {
    let Some((process, rest)) = text.strip_prefix("==").and_then(|rest| rest.split_once("==")) else {
        return false;
    };
    let numbered = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    numbered && (rest == "ABORTING" || rest.contains("Sanitizer") || rest.starts_with("HINT"))
}
