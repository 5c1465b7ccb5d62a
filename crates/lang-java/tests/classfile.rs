//! Classes with probes: they verify, behave as before, and the probes see what happens.
#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stdout, reason = "says what was looked at, and what could not be")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bonafix_lang_java::classfile::{
    Comparison, Condition, EdgeKind, IdSpace, Instrumented, MethodName, ProbeKind, ProbePlan, Selection,
    SiteKind, SkipReason, flows, instrument,
};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_proc::{Finished, Job, Launcher, Limits, SandboxMode};
use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use tempfile::TempDir;

/// The runtime's stand-in: writes down what the probes say.
const PROBES: &str = r#"
package bonafix.runtime;
public final class Probes {
    public static final StringBuilder log = new StringBuilder();
    public static final byte[] HITS = new byte[1 << 16];
    public static java.util.List<Integer> hits() {
        java.util.List<Integer> hits = new java.util.ArrayList<>();
        for (int id = 0; id < HITS.length; id++) if (HITS[id] != 0) hits.add(id);
        return hits;
    }
    public static long steps = Long.getLong("steps", Long.MAX_VALUE);
    static boolean busy;
    static void log(Object... parts) {
        if (busy) return;
        busy = true;
        for (Object part : parts) log.append(part instanceof Object[] ? java.util.Arrays.toString((Object[]) part) : part).append(' ');
        log.setCharAt(log.length() - 1, '\n');
        busy = false;
    }
    public static void line(int id) { log("line", id); }
    public static void step() { if (--steps < 0) throw new EndOfSteps(); }
    public static void compareZero(int a, int op, int id) { log("zero", a, op, id); }
    public static void compareInt(int a, int b, int op, int id) { log("int", a, b, op, id); }
    public static void compareReference(Object a, Object b, int op, int id) { log("reference", a, b, op, id); }
    public static void compareNull(Object a, int op, int id) { log("null", a, op, id); }
    public static int compareLong(long a, long b, int op, int id) { log("long", a, b, op, id); return Long.compare(a, b); }
    public static int compareFloat(float a, float b, int op, int id) {
        log("float", a, b, op, id);
        return a < b ? -1 : a > b ? 1 : a == b ? 0 : op >= 8 ? 1 : -1;
    }
    public static int compareDouble(double a, double b, int op, int id) {
        log("double", a, b, op, id);
        return a < b ? -1 : a > b ? 1 : a == b ? 0 : op >= 8 ? 1 : -1;
    }
    public static void switchOn(int value, int id) { log("switch", value, id); }
    public static void enter(Object[] elements, int id) { log("enter", id, elements); }
    public static void exit(Object result, int id) { log("exit", id, result); }
    public static void thrown(Throwable t, int id) { log("thrown", id, t); }
    public static final class EndOfSteps extends Error { }
}
"#;

/// `verify FOLDER CLASSPATH`: links every class of a folder and says which do not. `run FOLDER CLASS`: runs `main` of
/// a class and says what the probes saw.
const HARNESS: &str = r#"
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
public final class Harness {
    public static void main(String[] args) throws Exception {
        Path folder = Paths.get(args[1]);
        List<URL> urls = new ArrayList<>();
        for (String path : args[2].split(File.pathSeparator)) if (!path.isEmpty()) urls.add(Paths.get(path).toUri().toURL());
        Loader loader = new Loader(folder, urls.toArray(new URL[0]));
        if (args[0].equals("verify")) verify(folder, loader); else run(args[3], loader);
    }
    static void verify(Path folder, ClassLoader loader) throws IOException {
        List<String> names;
        try (Stream<Path> files = Files.walk(folder)) {
            names = files.map(file -> folder.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && !name.endsWith("module-info.class") && !name.startsWith("META-INF"))
                .map(name -> name.substring(0, name.length() - 6).replace(File.separatorChar, '.')).sorted()
                .collect(Collectors.toList());
        }
        for (String name : names) {
            try {
                Class.forName(name, false, loader).getDeclaredMethods();
                System.out.println("linked " + name);
            } catch (Throwable t) {
                System.out.println("failed " + name + " " + t.getClass().getName());
                System.err.println(name + ": " + t);
            }
        }
    }
    static void run(String name, ClassLoader loader) throws Exception {
        String end = "returned";
        try {
            Class.forName(name, true, loader).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (java.lang.reflect.InvocationTargetException e) {
            end = "threw " + e.getCause();
        }
        System.out.println(end);
        System.out.println("----");
        System.out.print(bonafix.runtime.Probes.log);
        System.out.println("hits " + bonafix.runtime.Probes.hits());
    }
    static final class Loader extends URLClassLoader {
        final Path folder;
        Loader(Path folder, URL[] urls) { super(urls, Harness.class.getClassLoader()); this.folder = folder; }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) return known;
                Path file = folder.resolve(name.replace('.', '/') + ".class");
                if (Files.exists(file)) {
                    try {
                        byte[] bytes = Files.readAllBytes(file);
                        return defineClass(name, bytes, 0, bytes.length);
                    } catch (IOException e) {
                        throw new ClassNotFoundException(name, e);
                    }
                }
                return super.loadClass(name, resolve);
            }
        }
    }
}
"#;

/// A compiled harness, for each JDK that is to be found.
struct Java {
    jdk: Jdk,
    folder: TempDir,
    launcher: Launcher,
}

static JAVA: LazyLock<Java> = LazyLock::new(|| Java::with(Jdk::find(None).unwrap()));

impl Java {
    fn with(jdk: Jdk) -> Self {
        let folder = TempDir::new().unwrap();
        let launcher = Launcher::new(SandboxMode::BestEffort).unwrap();
        let java = Self { jdk, folder, launcher };
        java.compile("Harness", HARNESS, &[("bonafix/runtime/Probes", PROBES)], &[]);
        java
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().join(name)
    }

    fn job(&self, tool: &str, args: impl IntoIterator<Item = impl AsRef<str>>) -> Finished {
        let limits = Limits { memory: None, cpu: None, ..Limits::default() };
        let mut job =
            Job::new(self.jdk.home.join("bin").join(tool)).frozen_env(&self.path("")).limits(limits);
        job.stdout = bonafix_proc::Sink::Capture { cap: 64 << 20 };
        for arg in args {
            job = job.arg(arg.as_ref());
        }
        job.run(&self.launcher).unwrap()
    }

    /// Compiles `source` and others into a folder called `name`.
    fn compile(&self, name: &str, source: &str, others: &[(&str, &str)], options: &[&str]) -> Utf8PathBuf {
        let sources = self.path(&format!("{name}.src"));
        let classes = self.path(name);
        let mut files = Vec::new();
        for (name, text) in [(name, source)].iter().chain(others) {
            let file = sources.join(format!("{name}.java"));
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(&file, text).unwrap();
            files.push(file.into_string());
        }
        let mut args = vec!["-nowarn".to_owned(), "-g".to_owned(), "-d".to_owned(), classes.to_string()];
        args.extend(options.iter().map(ToString::to_string));
        args.extend(files);
        let finished = self.job("javac", &args);
        assert!(finished.exit.success(), "{}", finished.stderr.text());
        classes
    }

    fn harness(&self, options: &[&str], args: [&str; 4]) -> Finished {
        let class_path = self.path("Harness");
        let mut line = vec!["-Xverify:all", "-cp", class_path.as_str(), "-XX:TieredStopAtLevel=1", "-Xss8m"];
        line.extend(options);
        line.push("Harness");
        line.extend(args);
        self.job("java", line)
    }

    /// What a program prints, and what the probes saw.
    fn run(&self, classes: &Utf8Path, options: &[&str], main: &str) -> (String, String) {
        let finished = self.harness(options, ["run", classes.as_str(), "", main]);
        assert!(finished.exit.success(), "{}", finished.stderr.text());
        let text = finished.stdout.text();
        let (output, seen) = text.split_once("----\n").unwrap();
        (output.to_owned(), seen.to_owned())
    }

    /// Which classes link and which do not.
    fn verify(&self, classes: &Utf8Path, class_path: &str) -> (Vec<String>, String) {
        let finished = self.harness(&[], ["verify", classes.as_str(), class_path, ""]);
        assert!(finished.exit.success(), "{}", finished.stderr.text());
        (finished.stdout.text().lines().map(str::to_owned).collect(), finished.stderr.text())
    }
}

fn class_files(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut files: Vec<Utf8PathBuf> = walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.unwrap().into_path()).ok())
        .filter(|path| path.extension() == Some("class") && path.file_stem() != Some("module-info"))
        .collect();
    files.sort();
    files
}

/// Instruments every class of `from` into `to`.
fn instrument_all(from: &Utf8Path, to: &Utf8Path, plan: &ProbePlan) -> BTreeMap<String, Instrumented> {
    let mut ids = IdSpace::default();
    let mut classes = BTreeMap::new();
    for file in class_files(from) {
        let bytes = fs_err::read(&file).unwrap();
        let instrumented =
            instrument(&bytes, plan, &mut ids).unwrap_or_else(|error| panic!("{file}: {error}"));
        let target = to.join(file.strip_prefix(from).unwrap());
        fs_err::create_dir_all(target.parent().unwrap()).unwrap();
        fs_err::write(&target, &instrumented.bytes).unwrap();
        classes.insert(instrumented.class.clone(), instrumented);
    }
    classes
}

/// Instruments all classes of a folder with everything, and checks that those link that linked before.
fn check_verifies(java: &Java, name: &str, classes: &Utf8Path, class_path: &str) {
    let woven = java.path(&format!("{name}.woven"));
    let instrumented = instrument_all(classes, &woven, &ProbePlan::everything());
    assert!(!instrumented.is_empty(), "{name} has classes");
    let (before, _) = java.verify(classes, class_path);
    let (after, complaints) = java.verify(&woven, class_path);
    let worse: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert!(worse.is_empty(), "{name}: {worse:#?}\n{complaints}");
    let failed = before.iter().filter(|line| line.starts_with("failed")).count();
    let mut skipped = BTreeMap::<String, usize>::new();
    for reason in instrumented.values().flat_map(|class| &class.skipped) {
        *skipped.entry(format!("{:?} {:?}", reason.reason, reason.dropped)).or_default() += 1;
    }
    let sites: usize = instrumented.values().map(|class| class.sites.len()).sum();
    println!(
        "{name}: JDK {}, {} classes, {sites} sites, {failed} do not link either way, skipped {skipped:?}",
        java.jdk.version,
        before.len()
    );
}

/// A program without and with probes; what both print, and what the probes saw.
fn check_same(
    name: &str,
    source: &str,
    options: &[&str],
) -> (String, String, BTreeMap<String, Instrumented>) {
    check_same_on(&JAVA, name, source, options)
}

fn check_same_on(
    java: &Java,
    name: &str,
    source: &str,
    options: &[&str],
) -> (String, String, BTreeMap<String, Instrumented>) {
    let classes = java.compile(name, source, &[], options);
    let woven = java.path(&format!("{name}.woven"));
    let instrumented = instrument_all(&classes, &woven, &ProbePlan::everything());
    let (before, _) = java.run(&classes, &[], name);
    let (after, seen) = java.run(&woven, &[], name);
    assert_eq!(before, after);
    (after, seen, instrumented)
}

const PROGRAM: &str = r#"
import java.util.*;
import java.util.function.*;
public class Program {
    enum Color { RED, GREEN, BLUE }
    static class Base {
        final String text;
        Base(String text) { this.text = text; }
        Base(int number, long wide, double real, Object last) { this(number + ":" + wide + ":" + real + ":" + last); }
    }
    static class Derived extends Base {
        int loops;
        Derived(boolean flag, String a, String b) {
            super(flag ? new String(a) : new StringBuilder(b).append(new Base(flag ? "x" : "y").text).toString());
            while (loops < 3) loops++;
            if (a == null) throw new IllegalArgumentException("no a");
        }
        Derived(int n) { this(n > 2, "a" + n, n < 0 ? "neg" : "pos"); }
        class Inner {
            int twice() { return loops * 2; }
        }
    }
    static int strings(String s) {
        switch (s) {
            case "one": return 1;
            case "two": return 2;
            case "AaAa": case "BBBB": return 4;
            default: return s.length();
        }
    }
    static String colors(Color c) {
        switch (c) { case RED: return "r"; case BLUE: return "b"; default: return "?"; }
    }
    static int sparse(int n) {
        switch (n) { case -1000000: return 1; case 0: return 2; case 77: n++; case 5000000: return n; default: return -n; }
    }
    static int finallyOrder(List<String> log, int n) {
        try {
            log.add("try" + n);
            if (n == 1) throw new IllegalStateException("one");
            if (n == 2) return 20;
            for (int i = 0; i < n; i++) { if (i == 5) break; try { if (i % 2 == 0) continue; log.add("i" + i); } finally { log.add("f" + i); } }
        } catch (IllegalStateException e) {
            log.add(e.getMessage());
            return 10;
        } finally {
            log.add("finally");
        }
        return 30;
    }
    static long math(long a, double d, float f) {
        long sum = 0;
        for (long i = a; i < 20L; i += 3) { sum += i > 5 ? i : -i; if (sum == 100L) break; }
        if (d < 1.5) sum += 1; if (d >= Double.NaN) sum += 2; if (!(d > Double.NaN)) sum += 4;
        if (f <= 2.5f) sum += 8; if (f != f) sum += 16; if (f > -0.0f) sum += 32;
        boolean both = d == 0.0 && f == 0.0f || a != 3;
        return both ? sum : -sum;
    }
    static final Object lockA = new Object(), lockB = new Object();
    static int locked(int n) {
        synchronized (lockA) {
            synchronized (lockB) {
                if (n > 10) return n;
                if (n < 0) throw new IllegalArgumentException("negative");
            }
            n++;
        }
        return n;
    }
    static synchronized int whole(int n) { int[] a = new int[3]; return a[n]; }
    static String news(int n) {
        String s = "";
        while (true) {
            s = new StringBuilder(n > 3 ? s : new String(n % 2 == 0 ? "even" : "odd")).append(n).toString();
            if (--n < 0) return s;
        }
    }
    static String nothing(Object o, Object p) { return o == null ? "null" : o != p ? "other" : "same"; }
    static int nested(int depth) { return depth <= 0 ? 0 : 1 + nested(depth - 1); }
    static <T extends Comparable<T>> T max(List<? extends T> list) {
        T best = null;
        for (T t : list) if (best == null || t.compareTo(best) > 0) best = t;
        return best;
    }
    static int many(byte b, char c, short s, boolean z, long l, float f, double d, int[] a, String t, int i) {
        do { i -= b; } while (i > 0);
        return (int) (b + c + s + (z ? 1 : 0) + l + f + d + a.length + t.length() + i);
    }
    static int reuse(int a, String b) { { a = a + 1; } { b = b + a; } for (String part : b.split("1")) a += part.length(); return a; }
    interface Shape { default double area() { return side() * side(); } double side(); static Shape of(double d) { return () -> d; } }
    static int retry(int times) {
        int n = 0;
        while (true) {
            try { if (n++ < times) throw new RuntimeException(); return n; } catch (RuntimeException e) { continue; }
        }
    }
    public static void main(String[] args) {
        List<Object> out = new ArrayList<>();
        for (String s : new String[] {"one", "two", "AaAa", "BBBB", "other"}) out.add(strings(s));
        for (Color c : Color.values()) out.add(colors(c));
        for (int n : new int[] {-1000000, 0, 77, 5000000, 9}) out.add(sparse(n));
        for (int n = 0; n < 8; n++) { List<String> log = new ArrayList<>(); out.add(finallyOrder(log, n)); out.add(log); }
        for (double d : new double[] {0, 1, 2, Double.NaN}) for (float f : new float[] {0, 3, Float.NaN}) out.add(math((long) d, d, f));
        for (int n : new int[] {20, -1, 5}) try { out.add(locked(n)); out.add(whole(n)); } catch (RuntimeException e) { out.add(e.toString()); }
        out.add(news(6));
        out.add(nothing(null, null) + nothing("a", "b") + nothing(Color.RED, Color.RED));
        out.add(nested(50));
        out.add(max(Arrays.asList(3, 9, 2)));
        out.add(many((byte) 3, 'c', (short) 5, true, 1L << 20, 2.5f, 1e3, new int[4], "text", 10));
        out.add(reuse(3, "a1b1c"));
        out.add(Shape.of(3).area());
        out.add(retry(4));
        Derived d = new Derived(5);
        out.add(d.text + new Derived(-1).text + d.new Inner().twice() + new Base(1, 2, 3, null).text);
        try { new Derived(true, null, null); } catch (RuntimeException e) { out.add(e.toString()); }
        try { new Derived(false, null, "b"); } catch (RuntimeException e) { out.add(e.toString()); }
        BiFunction<Integer, Long, String> f = (a, b) -> { StringBuilder s = new StringBuilder(); for (int i = 0; i < a; i++) s.append(b); return s.toString(); };
        out.add(f.apply(3, 7L));
        Supplier<Supplier<String>> s = () -> () -> args.length == 0 ? "none" : args[0];
        out.add(s.get().get());
        Runnable r = new Runnable() { int n; public void run() { while (n < 10) n += 3; out.add(n); } };
        r.run();
        System.out.println(out);
    }
}
"#;

#[test]
fn a_program_with_all_probes_does_what_it_did() {
    let (output, seen, classes) = check_same("Program", PROGRAM, &[]);
    assert!(output.contains("returned") && seen.contains("enter"), "{output}");
    assert!(classes.values().all(|class| class.skipped.is_empty()));
}

#[test]
fn a_class_of_a_version_without_frames_does_what_it_did() {
    let java = Java::with(JAVA.jdk.clone());
    let classes = java.compile("Old", OLD, &[], &["--release", "8", "-Xlint:-options"]);
    let file = classes.join("Old.class");
    let mut bytes = fs_err::read(&file).unwrap();
    bytes[7] = 49;
    fs_err::write(&file, bytes).unwrap();
    let woven = java.path("woven");
    let instrumented = instrument_all(&classes, &woven, &ProbePlan::everything());
    assert_eq!(instrumented["Old"].skipped, []);
    let (before, _) = java.run(&classes, &[], "Old");
    let (after, seen) = java.run(&woven, &[], "Old");
    assert_eq!((before.as_str(), after.as_str()), ("6\nreturned\n", "6\nreturned\n"));
    assert!(seen.contains("exit 1 6"), "{seen}");
}

const OLD: &str = r"
public class Old {
    static int sum(int[] numbers) {
        int sum = 0;
        try { for (int i = 0; ; i++) sum += numbers[i]; } catch (ArrayIndexOutOfBoundsException e) { return sum; } finally { sum = 0; }
    }
    public static void main(String[] args) {
        System.out.println(sum(new int[] {1, 2, 3}));
    }
}
";

const MODERN: &str = r#"
import java.util.*;
public class Modern {
    sealed interface Shape permits Circle, Square, Pair { }
    record Circle(double radius) implements Shape { Circle { if (radius < 0) throw new IllegalArgumentException("radius"); } }
    record Square(int side) implements Shape { }
    record Pair(Shape left, Shape right) implements Shape { }
    static String name(Object o) {
        return switch (o) {
            case null -> "null";
            case Circle c when c.radius() > 10 -> "large circle";
            case Circle(double r) -> "circle " + r;
            case Pair(Circle(var a), Square(var b)) -> "pair " + a + b;
            case Pair p -> "pair of " + name(p.left());
            case String s when s.isEmpty() -> "empty";
            case Integer i -> { int sum = 0; for (int n = 0; n < i; n++) sum += n; yield "sum " + sum; }
            default -> o.toString();
        };
    }
    public static void main(String[] args) {
        Object[] all = {null, new Circle(11), new Circle(1), new Pair(new Circle(2), new Square(3)), new Pair(new Square(1), new Square(2)), "", 5, 'c'};
        for (Object o : all) System.out.println(name(o));
        try { new Circle(-1); } catch (IllegalArgumentException e) { System.out.println(e); }
        System.out.println(new Square(3).equals(new Square(3)) + " " + new Pair(null, null));
    }
}
"#;

/// Statements before `super`, from 25 on.
const FLEXIBLE: &str = r#"
public class Flexible {
    static class Base { final int n; Base(int n) { this.n = n; } }
    static class Derived extends Base {
        final int before;
        Derived(int n) {
            if (n < 0) throw new IllegalArgumentException("negative");
            int sum = 0;
            for (int i = 0; i < n; i++) { sum += new Base(i).n; }
            before = sum;
            n = n > 3 ? 7 : 8;
            super(n);
            for (int i = 0; i < n; i++) sum++;
            if (sum > 100) throw new IllegalStateException("large");
        }
    }
    public static void main(String[] args) {
        for (int n : new int[] {-1, 2, 5, 50}) {
            try { Derived d = new Derived(n); System.out.println(d.n + " " + d.before); } catch (RuntimeException e) { System.out.println(e); }
        }
    }
}
"#;

#[test]
fn pattern_switches_and_records_do_what_they_did() {
    let Some(java) = java_of(21) else { return println!("skipped: no JDK 21 or later") };
    check_same_on(&java, "Modern", MODERN, &[]);
    check_same_on(&java, "Program", PROGRAM, &[]);
}

#[test]
fn statements_before_super_do_what_they_did() {
    let Some(java) = java_of(25) else { return println!("skipped: no JDK 25 or later") };
    let (_, seen, classes) = check_same_on(&java, "Flexible", FLEXIBLE, &[]);
    assert!(classes.values().all(|class| class.skipped.is_empty()));
    let thrown: Vec<_> = seen.lines().filter(|line| line.starts_with("thrown")).collect();
    assert_eq!(thrown.len(), 1, "only what is thrown behind super is seen: {thrown:?}");
}

/// A JDK of at least this version.
fn java_of(version: u32) -> Option<Java> {
    let installed = fs_err::read_dir("/usr/lib/jvm").ok()?;
    let mut jdks: Vec<Jdk> = installed
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.ok()?.path()).ok())
        .filter_map(|home| Jdk::read(&home).ok())
        .chain(Jdk::find(None).ok())
        .filter(|jdk| jdk.version >= version)
        .collect();
    jdks.sort_by_key(|jdk| jdk.version);
    jdks.pop().map(Java::with)
}

/// Classes of a module of the JDK, which are many and of the JDK's own version.
fn module(java: &Java, name: &str) -> Option<Utf8PathBuf> {
    let folder = java.path("module");
    let image = java.jdk.home.join("lib/modules");
    if !image.exists() {
        println!("skipped: JDK {} has no modules", java.jdk.version);
        return None;
    }
    let include = format!("regex:/{name}/.*");
    let args = ["extract", "--dir", folder.as_str(), "--include", &include, image.as_str()];
    let finished = java.job("jimage", args);
    assert!(finished.exit.success(), "{}", finished.stderr.text());
    Some(folder.join(name))
}

#[test]
fn the_compiler_of_the_jdk_links_with_all_probes() {
    if let Some(classes) = module(&JAVA, "jdk.compiler") {
        check_verifies(&JAVA, "jdk.compiler", &classes, "");
    }
}

#[test]
fn the_compiler_of_the_newest_jdk_links_with_all_probes() {
    let Some(java) = java_of(21) else { return println!("skipped: no JDK 21 or later") };
    if let Some(classes) = module(&java, "jdk.compiler") {
        check_verifies(&java, "jdk.compiler", &classes, "");
    }
}

/// Jars that many machines have; more by `BONAFIX_TEST_JARS`, separated by colons.
fn jars() -> Vec<Utf8PathBuf> {
    let named = std::env::var("BONAFIX_TEST_JARS").unwrap_or_default();
    let known = ["commons-lang3.jar", "commons-io.jar", "plexus-utils.jar", "guava.jar"];
    let installed = known.map(|name| Utf8PathBuf::from("/usr/share/maven/lib").join(name));
    let named = named.split(':').filter(|path| !path.is_empty()).map(Utf8PathBuf::from);
    named.chain(installed).filter(|path| path.exists()).collect()
}

#[test]
fn real_jars_link_with_all_probes() {
    let jars = jars();
    if jars.is_empty() {
        return println!("skipped: no jar found; name some in BONAFIX_TEST_JARS");
    }
    let class_path = jars.iter().map(|jar| jar.as_str()).collect::<Vec<_>>().join(":");
    for jar in &jars {
        let folder = unpacked(&JAVA, jar);
        check_verifies(&JAVA, jar.file_stem().unwrap(), &folder, &class_path);
    }
}

fn unpacked(java: &Java, jar: &Utf8Path) -> Utf8PathBuf {
    let folder = java.path(jar.file_stem().unwrap());
    fs_err::create_dir_all(&folder).unwrap();
    let limits = Limits { memory: None, cpu: None, ..Limits::default() };
    let job = Job::new(java.jdk.home.join("bin/jar")).args(["xf", jar.as_str()]).cwd(&folder).limits(limits);
    assert!(job.frozen_env(&folder).run(&java.launcher).unwrap().exit.success());
    folder
}

#[test]
fn the_bundled_cases_link_with_all_probes() {
    let cases = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/java");
    for case in fs_err::read_dir(cases).unwrap() {
        let case = Utf8PathBuf::from_path_buf(case.unwrap().path()).unwrap();
        let name = case.file_name().unwrap().to_owned();
        let main = ["src/main/java", "src"].map(|folder| case.join("buggy").join(folder));
        let Some(sources) = main.iter().find(|folder| folder.is_dir()) else { continue };
        let files = walkdir::WalkDir::new(sources)
            .into_iter()
            .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.unwrap().into_path()).ok());
        let files: Vec<_> = files
            .filter(|file| file.extension() == Some("java") && !file.as_str().contains("/test/"))
            .map(Utf8PathBuf::into_string)
            .collect();
        let classes = JAVA.path(&name);
        let mut args = vec!["-nowarn".to_owned(), "-d".to_owned(), classes.to_string()];
        args.extend(files);
        let finished = JAVA.job("javac", &args);
        assert!(finished.exit.success(), "{name}: {}", finished.stderr.text());
        check_verifies(&JAVA, &name, &classes, "");
    }
}

/// Compiles a class called `Small`, puts probes into it, runs it, and gives what the probes saw.
fn seen(members: &str, plan: &ProbePlan, options: &[&str]) -> (String, String, Instrumented) {
    let java = Java::with(JAVA.jdk.clone());
    let classes = java.compile("Small", &format!("public class Small {{\n{members}\n}}"), &[], &[]);
    let woven = java.path("woven");
    let mut instrumented = instrument_all(&classes, &woven, plan);
    let (output, seen) = java.run(&woven, options, "Small");
    (output, seen, instrumented.remove("Small").unwrap())
}

fn named(names: &[(&str, &str)]) -> Selection {
    let name = |&(name, descriptor): &(&str, &str)| MethodName {
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    };
    Selection::Named(names.iter().map(name).collect())
}

#[test]
fn distances_have_the_operands_and_the_condition_of_the_jump() {
    let members = "
        static int f(int i, long l, float x, double d, Object o) {
            int n = 0;
            if (i < 5) n++;
            if (i == 0) n++;
            if (l > 7L) n++;
            if (x < 1.5f) n++;
            if (d >= 2.5) n++;
            if (o == null) n++;
            if (o == \"s\") n++;
            switch (i) { case 3: case 4: n++; break; case 6: n--; }
            return n;
        }
        public static void main(String[] args) {
            System.out.println(f(3, 8, 2, Double.NaN, \"s\"));
        }";
    let branches = named(&[("f", "(IJFDLjava/lang/Object;)I")]);
    let (output, seen, class) = seen(members, &ProbePlan { branches, ..ProbePlan::default() }, &[]);
    assert_eq!(output, "4\nreturned\n");
    let expected = "int 3 5 3 0\nzero 3 1 1\nlong 8 7 5 2\nfloat 2.0 1.5 11 3\ndouble NaN 2.5 2 4\n\
                    null s 1 5\nreference s s 1 6\nswitch 3 7\nhits []\n";
    assert_eq!(seen, expected);
    let kinds: Vec<_> = class
        .sites
        .iter()
        .map(|site| match &site.kind {
            SiteKind::Branch(comparison) => (comparison.clone(), site.line.unwrap()),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        (Comparison::Int(Condition::Ge), 5),
        (Comparison::Zero(Condition::Ne), 6),
        (Comparison::Long(Condition::Le), 7),
        (Comparison::Float(Condition::Ge), 8),
        (Comparison::Double(Condition::Lt), 9),
        (Comparison::Null(Condition::Ne), 10),
        (Comparison::Reference(Condition::Ne), 11),
        (Comparison::Switch(vec![3, 4, 6]), 12),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn a_call_is_seen_with_its_elements_and_its_end() {
    let members = "
        static class Thing {
            final int n;
            Thing(int n, boolean b) { this.n = n; if (b) throw new IllegalStateException(\"b\"); }
            public String toString() { return \"thing\" + n; }
            long add(long l, char c, String s) { if (s == null) throw new NullPointerException(\"s\"); return n + l + c; }
            static boolean is(byte b, short s, int[] a) { try { return a[b] == s; } catch (RuntimeException e) { return false; } }
        }
        public static void main(String[] args) {
            Thing thing = new Thing(4, false);
            thing.add(1L, 'a', \"x\");
            try { thing.add(2L, 'b', null); } catch (NullPointerException e) { }
            try { new Thing(5, true); } catch (IllegalStateException e) { }
            Thing.is((byte) 0, (short) 7, null);
        }";
    let calls = named(&[("<init>", "(IZ)V"), ("add", "(JCLjava/lang/String;)J"), ("is", "(BS[I)Z")]);
    let (_, seen, _) = seen(members, &ProbePlan { calls, ..ProbePlan::default() }, &[]);
    let expected = "enter 0 [thing0, 4, false]\nexit 0 null\nenter 1 [thing4, 1, a, x]\nexit 1 102\n\
                    enter 1 [thing4, 2, b, null]\nthrown 1 java.lang.NullPointerException: s\n\
                    enter 0 [thing0, 5, true]\nthrown 0 java.lang.IllegalStateException: b\n\
                    enter 2 [0, 7, null]\nexit 2 false\nhits []\n";
    assert_eq!(seen, expected);
}

#[test]
fn statements_and_blocks_are_seen_by_their_lines() {
    let members = "
        static int f(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                if (i > 5)
                    sum -= i;
                sum += i;
            }
            return sum;
        }
        public static void main(String[] args) { f(2); }";
    let f = named(&[("f", "(I)I")]);
    let plan = ProbePlan { blocks: f.clone(), lines: f, ..ProbePlan::default() };
    let (_, seen, class) = seen(members, &plan, &[]);
    let line = |kind: SiteKind, id: u32| {
        class.sites.iter().find(|site| site.kind == kind && site.id == id).unwrap().line.unwrap()
    };
    let lines: Vec<u16> = seen
        .lines()
        .filter_map(|text| text.strip_prefix("line "))
        .map(|id| line(SiteKind::Line, id.parse().unwrap()))
        .collect();
    assert_eq!(lines, [4, 5, 6, 8, 5, 6, 8, 5, 10]);
    let hits = seen.lines().last().unwrap().strip_prefix("hits [").unwrap().trim_end_matches(']');
    let hits: Vec<u16> = hits.split(", ").map(|id| line(SiteKind::Block, id.parse().unwrap())).collect();
    assert_eq!(hits, [4, 5, 6, 8, 10]);
    assert!(class.sites.iter().any(|site| site.kind == SiteKind::Block && site.line == Some(7)));
}

#[test]
fn an_endless_loop_ends_even_if_it_catches_everything() {
    let loops = [
        "while (true) { }",
        "while (true) { try { f(); } catch (Throwable t) { } }",
        "while (true) { try { while (true) { } } catch (Throwable t) { } finally { f(); } }",
        "for (;;) { try { f(); continue; } catch (Throwable t) { continue; } }",
        "do { try { f(); } catch (Throwable t) { f(); } } while (n >= 0);",
        "while (true) synchronized (Small.class) { try { synchronized (\"a\") { f(); } } catch (Throwable t) { } }",
        "while (true) switch (n) { case 0: try { f(); } catch (Error e) { } continue; default: continue; }",
        "try { main(args); } catch (Throwable t) { main(args); }",
    ];
    for body in loops {
        let members = format!(
            "static int n; static void f() {{ n = n == 0 ? 1 : 0; }}
             public static void main(String[] args) {{ {body} }}"
        );
        let plan = ProbePlan { steps: Selection::All, ..ProbePlan::default() };
        let (output, _, _) = seen(&members, &plan, &["-Dsteps=500"]);
        assert_eq!(output, "threw bonafix.runtime.Probes$EndOfSteps\n", "{body}");
    }
}

/// A loop over many statements, left from its start.
fn large(head: &str, statements: usize, statement: impl Fn(usize) -> String) -> String {
    let mut body = String::new();
    for n in 0..statements {
        writeln!(body, "{}", statement(n)).unwrap();
    }
    format!(
        "static boolean no() {{ return false; }}
        static long f(int n) {{
            long s = 1;
            {head}
                {body}
            }}
            return s;
        }}
        public static void main(String[] args) {{ System.out.println(f(9)); }}"
    )
}

#[test]
fn large_methods_have_fewer_probes_and_the_rest_is_named() {
    let skipped = |members: &str| {
        let java = Java::with(JAVA.jdk.clone());
        let source = format!("public class Large {{ {members} }}");
        let (_, _, mut classes) = check_same_on(&java, "Large", &source, &[]);
        let skipped = classes.remove("Large").unwrap().skipped;
        skipped.into_iter().map(|skipped| (skipped.reason, skipped.dropped)).collect::<Vec<_>>()
    };
    let head = "for (int i = 0; i < n; i++) {";
    let sum = |n| format!("s += i * {n} + s % 7;");
    let branch = |n| format!("if (i > {n}) s += i;");
    // Jumps of `goto` grow wide; those of a switch are.
    let switch = "all: for (int i = 0; ; i++) { switch (i) { case 9: break all; case 3: continue all; }";
    assert_eq!(skipped(&large(switch, 1800, sum)), []);
    let all = ProbeKind::ALL;
    assert_eq!(skipped(&large(head, 1800, sum)), [(SkipReason::TooFar, all[..1].to_vec())]);
    assert_eq!(skipped(&large(head, 1500, branch)), [(SkipReason::TooFar, all[..3].to_vec())]);
    assert_eq!(skipped(&large(head, 2900, branch)), [(SkipReason::TooLong, all[..3].to_vec())]);
    let idle = |_| "while (no());".to_owned();
    assert_eq!(skipped(&large("{", 7000, idle)), [(SkipReason::TooLong, all.to_vec())]);
}

const SAMPLE: &str = r#"
import java.lang.annotation.*;
public class Sample {
    @Target(ElementType.TYPE_USE) @Retention(RetentionPolicy.RUNTIME) @interface Mark { String[] value() default {}; }
    final int n;
    Sample(int n) { super(); this.n = n; }
    static Object f(Object o, int i) throws Exception {
        @Mark({"a", "b"}) String s = o instanceof @Mark String ? (@Mark("c") String) o : new @Mark String("x");
        try (java.io.@Mark StringReader reader = new java.io.StringReader(s)) {
            for (long l = 0; l < i; l++) if (reader.read() < 0) return l;
        } catch (RuntimeException | java.io.IOException e) { i--; }
        switch (s) { case "x": return 1; case "y": return 2; }
        return i > 0 ? s : new Sample(i);
    }
}
"#;

static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let java = Java::with(JAVA.jdk.clone());
    let classes = java.compile("Sample", SAMPLE, &[], &[]);
    class_files(&classes).iter().map(|file| fs_err::read(file).unwrap()).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn damaged_classes_never_panic(
        sample in 0..2_usize,
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        changes in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 1..6),
    ) {
        let mut bytes = SAMPLES[sample % SAMPLES.len()].clone();
        let length = bytes.len();
        for (at, byte) in changes {
            bytes[at.index(length)] = byte;
        }
        if let Some(at) = cut {
            bytes.truncate(at.index(length));
        }
        let _ = flows(&bytes);
        if let Ok(class) = instrument(&bytes, &ProbePlan::everything(), &mut IdSpace::default()) {
            // What could be read once can be read again.
            let _ = instrument(&class.bytes, &ProbePlan::everything(), &mut IdSpace::default()).unwrap();
        }
    }
}

#[test]
fn probes_in_probes_verify_and_a_plan_of_nothing_changes_nothing() {
    for sample in SAMPLES.iter() {
        let nothing = instrument(sample, &ProbePlan::default(), &mut IdSpace::default()).unwrap();
        assert_eq!(&nothing.bytes, sample);
        let mut ids = IdSpace::default();
        let once = instrument(sample, &ProbePlan::everything(), &mut ids).unwrap();
        let again = instrument(sample, &ProbePlan::everything(), &mut IdSpace::default()).unwrap();
        assert_eq!(once, again);
    }
    let java = Java::with(JAVA.jdk.clone());
    let classes = java.compile("Sample", SAMPLE, &[], &[]);
    let woven = java.path("woven");
    instrument_all(&classes, &woven, &ProbePlan::everything());
    check_verifies(&java, "twice", &woven, "");
}

/// Numbers beyond what a short holds come from the pool; beyond its room they are computed.
#[test]
fn large_numbers_verify() {
    let java = Java::with(JAVA.jdk.clone());
    let classes = java.compile("Sample", SAMPLE, &[], &[]);
    let woven = java.path("woven");
    fs_err::create_dir_all(&woven).unwrap();
    for file in class_files(&classes) {
        let mut ids = IdSpace { blocks: 100, branches: 40_000, lines: 70_000, calls: 1 << 24 };
        let class = instrument(&fs_err::read(&file).unwrap(), &ProbePlan::everything(), &mut ids).unwrap();
        fs_err::write(woven.join(file.file_name().unwrap()), class.bytes).unwrap();
    }
    let (links, complaints) = java.verify(&woven, "");
    assert!(links.iter().all(|line| line.starts_with("linked")), "{complaints}");
}

#[test]
fn the_flow_of_a_loop_has_one_way_back() {
    let members = "static int f(int n) {
            int s = 0;
            while (n > 0) {
                try { s += 10 / n; } catch (ArithmeticException e) { s = 0; }
                switch (n) { case 1: s++; break; case 2: s--; }
                n--;
            }
            return s;
        }
        public static void main(String[] args) { }";
    let java = Java::with(JAVA.jdk.clone());
    let classes = java.compile("Small", &format!("public class Small {{\n{members}\n}}"), &[], &[]);
    let flows = flows(&fs_err::read(class_files(&classes).remove(0)).unwrap()).unwrap();
    let flow = flows.iter().find(|flow| flow.method.name == "f").unwrap();
    let line = |block: usize| flow.blocks[block].line.unwrap();
    let back: Vec<_> = flow.edges.iter().filter(|edge| edge.is_back).collect();
    assert_eq!(back.len(), 1);
    assert_eq!((line(back[0].from), line(back[0].to)), (7, 4));
    let cases: Vec<_> = flow
        .edges
        .iter()
        .filter(|edge| matches!(edge.kind, EdgeKind::Case(_) | EdgeKind::Default))
        .map(|edge| (edge.kind, line(edge.to)))
        .collect();
    assert_eq!(cases, [(EdgeKind::Case(1), 6), (EdgeKind::Case(2), 6), (EdgeKind::Default, 7)]);
    let thrown: Vec<_> = flow.edges.iter().filter(|edge| edge.kind == EdgeKind::Exception).collect();
    assert!(thrown.iter().all(|edge| line(edge.to) == 5) && !thrown.is_empty());
}

/// `cargo test --release … -- --ignored --nocapture speed`
#[test]
#[ignore = "measures; nothing is asserted"]
fn speed_on_the_compiler_of_the_jdk() {
    let Some(classes) = module(&JAVA, "jdk.compiler") else { return };
    let files: Vec<Vec<u8>> = class_files(&classes).iter().map(|file| fs_err::read(file).unwrap()).collect();
    let coverage = ProbePlan {
        blocks: Selection::All,
        branches: Selection::All,
        steps: Selection::All,
        ..ProbePlan::default()
    };
    for (name, plan) in [("coverage, distance, steps", coverage), ("everything", ProbePlan::everything())] {
        let mut best = Duration::MAX;
        for _ in 0..7 {
            let start = Instant::now();
            let mut ids = IdSpace::default();
            for file in &files {
                std::hint::black_box(instrument(file, &plan, &mut ids).unwrap());
            }
            best = best.min(start.elapsed());
        }
        println!(
            "{name}: {} classes/s",
            files.len() * 1_000_000 / usize::try_from(best.as_micros()).unwrap()
        );
    }
}
