//! How fast inputs run in C programs, beside `afl-fuzz` and valgrind with the same programs and inputs: figures for
//! `cargo xtask bench programs`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
#![expect(clippy::print_stdout, reason = "figures, for people")]

mod afl;
mod bundled;

use std::time::{Duration, Instant};

use bonafix_lang::{FuzzSlice, Watch};
use bonafix_lang_c::{ServedTarget, Target, Variant};
use bonafix_model::{FileEdit, ProgramInput, TreeChange};
use bonafix_proc::{Launcher, SandboxMode};
use camino::{Utf8Path, Utf8PathBuf};

use afl::{Afl, Mode};
use bundled::{Case, LIMIT};

/// A reader of text and one of images: one file each, which reads the file that it is given.
const CASES: [&str; 2] = ["ini-reader", "pgm-info"];
/// Each figure is measured so often, in turn with those it is compared with.
const ROUNDS: u32 = 2;
const ROUND: Duration = Duration::from_secs(2);
const AT_A_TIME: usize = 16;
/// `afl-fuzz` runs every seed several times before it begins, which belongs to its rate.
const AFL_SECONDS: u32 = 4;
/// Executions under valgrind take long.
const UNDER_VALGRIND: u16 = 10;
/// Inputs of the campaign whose kept ones are run in several versions.
const CAMPAIGN: u64 = 1500;

/// Inputs and the time that they took.
#[derive(Debug, Default, Clone, Copy)]
struct Rate {
    runs: u32,
    spent: Duration,
}

impl Rate {
    /// Runs all inputs, again and again, until the time is over; so many at a time as a campaign does.
    fn add(&mut self, target: &mut ServedTarget, inputs: &[ProgramInput], time: Duration) {
        let start = Instant::now();
        for inputs in inputs.chunks(AT_A_TIME).cycle() {
            self.runs += u32::try_from(target.run_all(inputs).unwrap().len()).unwrap();
            if start.elapsed() >= time {
                break;
            }
        }
        self.spent += start.elapsed();
    }

    fn per_second(self) -> f64 {
        f64::from(self.runs) / self.spent.as_secs_f64()
    }

    fn milliseconds(self) -> f64 {
        1000.0 / self.per_second()
    }
}

/// Inputs of the tests, each with one byte changed in several ways.
fn changed(seeds: &[Vec<u8>]) -> Vec<ProgramInput> {
    let mut inputs = Vec::new();
    let mut state = 1_u64;
    for seed in seeds.iter().cycle().take(500) {
        let mut bytes = seed.clone();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let [at, to, ..] = (state >> 16).to_le_bytes();
        if !bytes.is_empty() {
            let at = usize::from(at) % bytes.len();
            bytes[at] = to;
        }
        inputs.push(ProgramInput { arguments: None, bytes });
    }
    inputs
}

/// A bundled case and what is run in it.
struct Subject {
    name: &'static str,
    case: Case,
    reference: TreeChange,
    seeds: Vec<Vec<u8>>,
}

impl Subject {
    fn open(name: &'static str) -> Self {
        let case = Case::open(name);
        let reference = case.change(&case.file.reference);
        let ending = Utf8Path::new(case.file.c.tests.input.as_deref().unwrap()).extension().unwrap();
        let tests = case.root.join("buggy/tests").read_dir_utf8().unwrap();
        let mut files: Vec<Utf8PathBuf> = tests.map(|entry| entry.unwrap().into_path()).collect();
        files.retain(|file| file.extension() == Some(ending));
        files.sort();
        let seeds = files.iter().map(|file| fs_err::read(file).unwrap()).collect();
        Self { name, case, reference, seeds }
    }

    fn target(&self, change: &TreeChange, variant: Variant) -> ServedTarget {
        self.case.project.target(change, variant, LIMIT, &self.case.log).unwrap()
    }

    /// The mended source, the seeds, and all that `afl-fuzz` writes.
    fn write(&self, folder: &Utf8Path) -> (Utf8PathBuf, Utf8PathBuf) {
        let (path, edit) = self.reference.files.iter().next().unwrap();
        let FileEdit::Write(bytes) = edit else { panic!("{path} is not written") };
        let (source, seeds) = (folder.join(path.file_name().unwrap()), folder.join("seeds"));
        fs_err::write(&source, bytes).unwrap();
        fs_err::create_dir_all(&seeds).unwrap();
        for (number, seed) in self.seeds.iter().enumerate() {
            fs_err::write(seeds.join(number.to_string()), seed).unwrap();
        }
        (source, seeds)
    }

    fn compare_with_afl(&self, variant: Variant) {
        let inputs = changed(&self.seeds);
        let mut copies = self.target(&self.reference, variant);
        let mut process = self.target(&self.reference, variant);
        assert!(process.try_persistent(&inputs).unwrap());
        let folder = bonafix_store::memory_folder().unwrap();
        let launcher = Launcher::new(SandboxMode::BestEffort).unwrap();
        let afl = Afl {
            folder: Utf8Path::from_path(folder.path()).unwrap(),
            launcher: &launcher,
            sanitizers: variant == Variant::Fuzz,
        };
        let programs = Afl::missing().is_none().then(|| {
            let (source, seeds) = self.write(afl.folder);
            let build = |mode| afl.build(&source, &self.case.file.c.cflags, mode);
            (build(Mode::ForkServer), build(Mode::Persistent), seeds)
        });
        let (mut in_copies, mut in_process) = (Rate::default(), Rate::default());
        let (mut fork_server, mut persistent) = (0.0, 0.0);
        for _ in 0..ROUNDS {
            in_copies.add(&mut copies, &inputs, ROUND);
            in_process.add(&mut process, &inputs, ROUND);
            if let Some((of_copies, of_process, seeds)) = &programs {
                let rate = |program| afl.executions_per_second(program, seeds, AFL_SECONDS);
                fork_server += rate(of_copies) / f64::from(ROUNDS);
                persistent += rate(of_process) / f64::from(ROUNDS);
            }
        }
        let what = format!(
            "{}, {}",
            self.name,
            if variant == Variant::Fuzz { "with sanitizers" } else { "without sanitizers" }
        );
        let (in_copies, in_process) = (in_copies.per_second(), in_process.per_second());
        println!("{what}, in copies: {in_copies:.0} executions/s");
        println!("{what}, in one process: {in_process:.0} executions/s");
        if programs.is_some() {
            println!("{what}, fork server of afl-fuzz: {fork_server:.0} executions/s");
            println!("{what}, persistent mode of afl-fuzz: {persistent:.0} executions/s");
            println!("{what}, copies against the fork server of afl-fuzz: {:.2} x", in_copies / fork_server);
            println!(
                "{what}, one process against the fork server of afl-fuzz: {:.2} x",
                in_process / fork_server
            );
            println!(
                "{what}, one process against the persistent mode of afl-fuzz: {:.2} x",
                in_process / persistent
            );
        }
    }

    /// The oracle for memory: sanitizers in the server, against valgrind.
    fn compare_with_valgrind(&self) {
        let inputs = changed(&self.seeds);
        let mut copies = self.target(&self.reference, Variant::Fuzz);
        let mut process = self.target(&self.reference, Variant::Fuzz);
        assert!(process.try_persistent(&inputs).unwrap());
        let mut slow =
            self.case.project.watched(&self.reference, Watch::Valgrind, LIMIT, &self.case.log).unwrap();
        let (mut in_copies, mut in_process) = (Rate::default(), Rate::default());
        in_copies.add(&mut copies, &inputs, ROUND / 2);
        in_process.add(&mut process, &inputs, ROUND / 2);
        let start = Instant::now();
        for input in &inputs[..usize::from(UNDER_VALGRIND)] {
            slow.execute(input).unwrap();
        }
        let of_valgrind = start.elapsed().as_secs_f64() * 1000.0 / f64::from(UNDER_VALGRIND);
        let (in_copies, in_process) = (in_copies.milliseconds(), in_process.milliseconds());
        let what = format!("{}, memory oracle", self.name);
        println!("{what}, sanitizers in copies: {in_copies:.3} ms");
        println!("{what}, sanitizers in one process: {in_process:.3} ms");
        println!("{what}, valgrind: {of_valgrind:.3} ms");
        println!("{what}, valgrind against sanitizers in copies: {:.1} x", of_valgrind / in_copies);
        println!("{what}, valgrind against sanitizers in one process: {:.1} x", of_valgrind / in_process);
    }

    /// What a campaign keeps, run in one version, in two, in three; and what an input of a campaign costs in all.
    fn compare_numbers_of_versions(&self) {
        let patch = self.case.file.patch.iter().find(|patch| patch.label == "correct").unwrap();
        let mut campaign = self.case.campaign(&patch.file, 1);
        let start = Instant::now();
        campaign.fuzz(&FuzzSlice { inputs: CAMPAIGN, until: None }).unwrap();
        let spent = start.elapsed();
        let (state, kept) = (campaign.state(), campaign.corpus());
        let count = |number: u64| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        drop(campaign);
        let changes = [self.case.change(&patch.file), self.reference.clone(), TreeChange::default()];
        let mut targets: Vec<ServedTarget> =
            changes.iter().map(|change| self.target(change, Variant::Fuzz)).collect();
        for target in &mut targets {
            target.try_persistent(&kept[..kept.len().min(8)]).unwrap();
        }
        let mut each = [0.0_f64; 3];
        for _ in 0..ROUNDS {
            for (number, milliseconds) in (1..).zip(&mut each) {
                let start = Instant::now();
                for input in &kept {
                    for target in &mut targets[..number] {
                        target.run(input).unwrap();
                    }
                }
                *milliseconds +=
                    start.elapsed().as_secs_f64() * 1000.0 / count(kept.len() as u64) / f64::from(ROUNDS);
            }
        }
        let what = format!("{}, kept inputs in", self.name);
        for (number, milliseconds) in ["one version", "two versions", "three versions"].iter().zip(each) {
            println!("{what} {number}: {milliseconds:.3} ms");
        }
        println!("{what} two versions against one: {:.2} x", each[1] / each[0]);
        println!("{what} three versions against one: {:.2} x", each[2] / each[0]);
        let rate = |number: u64| count(number) / spent.as_secs_f64();
        let what = format!("{}, campaign over three versions", self.name);
        println!("{what}: {:.0} inputs/s", rate(state.inputs));
        println!("{what}: {:.0} executions/s", rate(state.executions));
        println!("{what}, executions of an input: {:.2} x", count(state.executions) / count(state.inputs));
    }
}

#[test]
#[ignore = "measures"]
fn speed() {
    if let Some(missing) = Afl::missing() {
        println!("note: {missing}");
    }
    for name in CASES {
        let subject = Subject::open(name);
        subject.compare_with_afl(Variant::Plain);
        subject.compare_with_afl(Variant::Fuzz);
        subject.compare_with_valgrind();
        subject.compare_numbers_of_versions();
    }
}
