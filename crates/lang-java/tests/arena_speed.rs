//! How many inputs a second run in three versions, with probes and without, with all that is seen of them. For
//! `cargo xtask bench`.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod arena_support;

use std::time::{Duration, Instant};

use arena_support::{Dice, compile, launcher, random_sequence};
use bonafix_lang::{Run, RunScope};
use bonafix_lang_java::delta::delta_file;
use bonafix_lang_java::explore::{ExploreSubject, ExploreTools, JavaRun, Preparation, VersionFolders, open};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_lang_java::{Arena, ArenaConfig, ArenaSubject};
use bonafix_model::{Catalog, Delta, Literal, Ran, Sequence, SequenceOutcome, Step, VersionRole};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

const CLASS: &str = "p.A";
const FILE: &str = "p/A.java";
const ROLES: [VersionRole; 3] = [VersionRole::Reference, VersionRole::Patched, VersionRole::Buggy];
const INPUTS: usize = 20_000;
/// Compilers of the VM have threads of their own, and on a busy machine they take their time.
const ROUNDS: u32 = 12;

/// Members of a class that remembers what was done with it; `%` stands for what versions write differently.
const STATEFUL: &str = r#"
    private final List<Integer> items = new ArrayList<>();
    private final Map<String, Integer> names = new HashMap<>();
    private int sum; private double mean; private String last = "";
    public void add(int i) { items.add(i); sum += i + % - %; mean = (double) sum / items.size(); }
    public int sum() { return sum; }
    public double mean() { return mean; }
    public int at(int i) { return items.get(i); }
    public boolean has(int i) { return items.contains(i); }
    public void name(String s, int i) { names.put(s, i); last = s; }
    public int named(String s) { return names.getOrDefault(s, -1); }
    public void clear() { items.clear(); sum = 0; mean = 0; }
    public List<Integer> items() { return items; }
    public String join() { return items.toString(); }
    public int drop(int i) { return items.remove(i); }
"#;

/// Static methods on strings as most programs have them somewhere.
const STRINGS: &str = r#"
    private A() { }
    public static boolean isBlank(CharSequence text) {
        for (int i = 0; text != null && i < text.length(); i++) {
            if (!Character.isWhitespace(text.charAt(i))) { return false; }
        }
        return true;
    }
    public static String capitalize(String text) {
        if (text == null || text.isEmpty()) { return text; }
        int first = text.codePointAt(0);
        int upper = Character.toTitleCase(first);
        return first == upper ? text : new StringBuilder().appendCodePoint(upper).append(text.substring(Character.charCount(first))).toString();
    }
    public static String swapCase(String text) {
        if (text == null) { return null; }
        StringBuilder swapped = new StringBuilder(text.length());
        for (char each : text.toCharArray()) {
            swapped.append(Character.isUpperCase(each) ? Character.toLowerCase(each) : Character.toUpperCase(each));
        }
        return swapped.toString();
    }
    public static String abbreviate(String text, int width) {
        if (width < 4) { throw new IllegalArgumentException("width " + width + " is less than 4"); }
        return text == null || text.length() <= width ? text : text.substring(0, width - 3 + % - %) + "...";
    }
    public static String leftPad(String text, int size, char filler) {
        if (text == null) { return null; }
        StringBuilder padded = new StringBuilder();
        for (int i = text.length(); i < 4 * size; i++) { padded.append(filler); }
        return padded.append(text).toString();
    }
    public static String center(String text, int size, String filler) {
        if (text == null || size <= 0) { return text; }
        String with = filler == null || filler.isEmpty() ? " " : filler;
        StringBuilder centered = new StringBuilder(text);
        for (int i = 0; centered.length() < 3 * size; i++) {
            if (i % 2 == 0) { centered.append(with); } else { centered.insert(0, with); }
        }
        return centered.toString();
    }
    public static String replace(String text, String searched, String replacement) {
        if (isBlank(text) || searched == null || searched.isEmpty() || replacement == null) { return text; }
        StringBuilder replaced = new StringBuilder();
        int start = 0;
        for (int end = text.indexOf(searched); end >= 0; end = text.indexOf(searched, start)) {
            replaced.append(text, start, end).append(replacement);
            start = end + searched.length();
        }
        return replaced.append(text.substring(start)).toString();
    }
    public static String[] split(String text, char separator) {
        if (text == null) { return null; }
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || text.charAt(i) == separator) {
                if (i > start) { parts.add(text.substring(start, i)); }
                start = i + 1;
            }
        }
        return parts.toArray(new String[0]);
    }
    public static String join(Object[] parts, String separator) {
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < parts.length; i++) {
            if (i > 0 && separator != null) { joined.append(separator); }
            if (parts[i] != null) { joined.append(parts[i]); }
        }
        return joined.toString();
    }
    public static String reverseWords(String text, char separator) {
        String[] words = split(text, separator);
        Collections.reverse(Arrays.asList(words));
        return join(words, String.valueOf(separator));
    }
    public static int countMatches(String text, String searched) {
        if (text == null || searched == null || searched.isEmpty()) { return 0; }
        int count = 0;
        for (int at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + searched.length())) { count++; }
        return count;
    }
    public static String difference(String one, String other) {
        int at = indexOfDifference(one, other);
        return at < 0 ? "" : other.substring(at);
    }
    public static int indexOfDifference(String one, String other) {
        int shorter = Math.min(one.length(), other.length());
        for (int i = 0; i < shorter; i++) {
            if (one.charAt(i) != other.charAt(i)) { return i; }
        }
        return one.length() == other.length() ? -1 : shorter;
    }
    public static int distance(String one, String other) {
        int[] costs = new int[other.length() + 1];
        for (int j = 0; j < costs.length; j++) { costs[j] = j; }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = costs[0];
            costs[0] = i;
            for (int j = 1; j < costs.length; j++) {
                int substituted = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = costs[j];
                costs[j] = Math.min(substituted, 1 + Math.min(costs[j], costs[j - 1]));
            }
        }
        return costs[other.length()];
    }
    public static Map<Character, Integer> frequencies(String text) {
        Map<Character, Integer> counts = new TreeMap<>();
        for (char each : text.toCharArray()) { counts.merge(each, 1, Integer::sum); }
        return counts;
    }
    public static String strip(String text, String stripped) {
        int start = 0;
        int end = text.length();
        while (start < end && isStripped(text.charAt(start), stripped)) { start++; }
        while (end > start && isStripped(text.charAt(end - 1), stripped)) { end--; }
        return text.substring(start, end);
    }
    private static boolean isStripped(char each, String stripped) {
        return stripped == null ? Character.isWhitespace(each) : stripped.indexOf(each) >= 0;
    }
    public static String between(String text, String open, String close) {
        int start = text.indexOf(open);
        int end = start < 0 ? -1 : text.indexOf(close, start + open.length());
        return end < 0 ? null : text.substring(start + open.length(), end);
    }
    public static boolean isNumeric(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            if (!Character.isDigit(text.charAt(i))) { return false; }
        }
        return text.length() > 0;
    }
    public static String repeat(String text, int times) {
        StringBuilder repeated = new StringBuilder();
        for (int i = 0; i < times; i++) { repeated.append(text); }
        return repeated.toString();
    }
"#;

/// `cargo test --release -p bonafix-lang-java --test arena_speed -- --ignored --nocapture`
#[test]
#[ignore = "prints figures"]
fn triples_per_second() {
    print_figures("stateful class", STATEFUL, |sequence, _| sequence);
    print_figures("string utilities", STRINGS, with_other_texts);
}

/// Longer texts than inputs of all kinds need: words with separators between them, and some that come again.
fn with_other_texts(mut sequence: Sequence, dice: &mut Dice) -> Sequence {
    for step in &mut sequence.steps {
        if let Step::Constant { value: Literal::Text(units), .. } = step {
            *units = text(dice).encode_utf16().collect();
        }
    }
    sequence
}

fn text(dice: &mut Dice) -> String {
    const WORDS: [&str; 12] = [
        "the",
        "Quick",
        "bROWN",
        "fox",
        "42",
        "übergroß",
        "a",
        "ca",
        "b-d",
        "  ",
        "\u{1f600}x",
        "naïve Test",
    ];
    let separator = ["a", " ", ", ", "b", ""][dice.roll(5)];
    (0..dice.roll(7)).map(|_| WORDS[dice.roll(WORDS.len())]).collect::<Vec<_>>().join(separator)
}

/// The same inputs with probes and without in turns, so that a busy machine is busy for both. What counts is the
/// processor time of the thread that runs them; the time on the wall tells of the machine.
#[expect(clippy::print_stdout, reason = "figures, for people")]
fn print_figures(what: &str, body: &str, change: impl Fn(Sequence, &mut Dice) -> Sequence) {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let sources = ["1", "2", "3"].map(|version| source(body, version));
    let folders = compiled(&sources, &root);
    let mut probed = open_probed(&sources, &folders, &root);
    let mut plain = open_plain(&folders, &root);
    let inputs = [probed.catalog(), plain.catalog()].map(|catalog| inputs(catalog, &change));
    let (mut with, mut without) = (0.0_f64, 0.0_f64);
    for round in 0..ROUNDS {
        let (rate, remarks) = rate(&mut probed, &inputs[0]);
        println!("{what}, round {round}: {rate:.0} triples/s, {remarks}");
        with = with.max(rate);
        let (rate, remarks) = self::rate(&mut plain, &inputs[1]);
        println!("{what} without probes, round {round}: {rate:.0} triples/s, {remarks}");
        without = without.max(rate);
    }
    println!("{what}, with probes against without: {:.3} x", with / without);
}

fn source(body: &str, version: &str) -> String {
    let body = body.replace("+ % - %", &format!("+ {version} - {version}"));
    format!("package p;\nimport java.util.*;\npublic class A {{\n{body}\n}}\n")
}

fn compiled(sources: &[String], root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut folders = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let folder = root.join(format!("classes-{number}"));
        compile(&[(FILE, source.clone())], &folder);
        folders.push(folder);
    }
    folders
}

fn cache() -> Cache {
    Cache::open(&Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")).unwrap()
}

fn config() -> ArenaConfig {
    // What it costs to load classes anew is not asked for here.
    ArenaConfig { reset_every: 1_000_000, ..ArenaConfig::default() }
}

/// As a search opens them: with all probes in the class that versions change.
fn open_probed(sources: &[String], folders: &[Utf8PathBuf], root: &Utf8Path) -> JavaRun {
    let buggy = sources[2].as_bytes();
    let deltas: Vec<Delta> = sources
        .iter()
        .map(|source| Delta {
            files: vec![delta_file(Utf8Path::new(FILE), Some(buggy), Some(source.as_bytes()))],
        })
        .collect();
    let version = |number: usize| VersionFolders {
        role: ROLES[number],
        delta: &deltas[number],
        folders: vec![folders[number].clone()],
    };
    let subject = ExploreSubject { versions: (0..3).map(version).collect(), libraries: Vec::new() };
    let tools = ExploreTools {
        jdk: &Jdk::find(None).unwrap(),
        cache: &cache(),
        launcher: &launcher(),
        preparation: &Preparation::new(&root.join("prepared")),
        scratch: &root.join("search"),
    };
    let (run, notices) = open(&subject, config(), &tools).unwrap();
    assert!(notices.is_empty(), "{notices:?}");
    run
}

fn open_plain(folders: &[Utf8PathBuf], root: &Utf8Path) -> Arena {
    let versions = folders.iter().map(|folder| vec![folder.clone()]).collect();
    let subject = ArenaSubject { versions, roots: vec![CLASS.to_owned()], ..ArenaSubject::default() };
    let scratch = root.join("plain");
    Arena::open(subject, config(), &Jdk::find(None).unwrap(), &cache(), &launcher(), &scratch).unwrap()
}

fn inputs(catalog: &Catalog, change: impl Fn(Sequence, &mut Dice) -> Sequence) -> Vec<Sequence> {
    let mut dice = Dice(7);
    (0..INPUTS)
        .map(|index| {
            let sequence = random_sequence(catalog, CLASS, 1 + index % 6, &mut dice);
            change(sequence, &mut dice)
        })
        .collect()
}

/// What runs inputs, and knows what that took.
trait Runs {
    fn run_all(&mut self, inputs: &[Sequence]) -> Vec<Ran>;
    fn cpu(&self) -> Duration;
}

impl Runs for JavaRun {
    fn run_all(&mut self, inputs: &[Sequence]) -> Vec<Ran> {
        self.run(inputs, &RunScope::default()).unwrap()
    }

    fn cpu(&self) -> Duration {
        self.arena().cpu()
    }
}

impl Runs for Arena {
    fn run_all(&mut self, inputs: &[Sequence]) -> Vec<Ran> {
        self.explore(inputs, &RunScope::default()).unwrap()
    }

    fn cpu(&self) -> Duration {
        Arena::cpu(self)
    }
}

/// Inputs for each second of the thread that ran them; and what else there is to say.
#[expect(clippy::cast_precision_loss, reason = "figures, for people")]
fn rate(runs: &mut impl Runs, inputs: &[Sequence]) -> (f64, String) {
    let (start, before) = (Instant::now(), runs.cpu());
    let ran = runs.run_all(inputs);
    let on_the_wall = inputs.len() as f64 / start.elapsed().as_secs_f64();
    let rate = inputs.len() as f64 / runs.cpu().saturating_sub(before).as_secs_f64();
    let threw = |ran: &&Ran| matches!(&ran.outcome, SequenceOutcome::Same { summary, .. } if summary.threw);
    let threw = ran.iter().filter(threw).count();
    assert!(ran.iter().all(|ran| matches!(ran.outcome, SequenceOutcome::Same { .. })));
    (rate, format!("{on_the_wall:.0} per second on the wall, {threw} threw"))
}
