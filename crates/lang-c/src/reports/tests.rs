//! Stored reports for what is rare, and real ones from the compiler and the valgrind of this machine.

mod real;

use super::*;

const TREE: &str = "/h/tree";

fn parsed(text: &str) -> Parsed {
    sanitizer::parse(text.as_bytes(), Utf8Path::new(TREE))
}

fn places(stack: &[bonafix_model::Frame]) -> Vec<String> {
    stack.iter().map(|frame| format!("{} {}:{}", frame.function, frame.file, frame.line)).collect()
}

const OVERFLOW: &str = "before
=================================================================
==6522==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000020 at pc 0x562b78892fae bp 0x7ffd sp 0x7ffd
READ of size 4 at 0x602000000020 thread T0
    #0 0x562b78892fad in get /h/tree/src/a.c:7:32
    #1 0x562b7889363f in scan(int, char const*) /h/tree/src/b c.cc:14:26
    #2 0x7f1e27ace249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #3 0x562b787d5310 in _start (/h/tree/san+0x21310) (BuildId: bf7907b2fab1a9d7cd7dd73f7ae5a9e5acdeb3bc)
    #4 0x562b787d5310  (/h/tree/san+0x21310) (BuildId: bf7907b2fab1a9d7cd7dd73f7ae5a9e5acdeb3bc)

0x602000000014 is located 4 bytes inside of 16-byte region [0x602000000010,0x602000000020)
freed by thread T0 here:
    #0 0x555a7fad9eb2 in free (/h/tree/san+0xa3eb2) (BuildId: bf7907b2fab1a9d7cd7dd73f7ae5a9e5acdeb3bc)
    #1 0x555a7fb1566c in drop /h/tree/src/a.c:15:11

previously allocated by thread T0 here:
    #0 0x562b7885815e in __interceptor_malloc (/h/tree/san+0xa415e) (BuildId: bf7907b2fab1a9d7cd7dd73f7ae5a9e5acdeb3bc)
    #1 0x562b78892ec7 in qsort stdlib/msort.c:6:26
    #2 0x562b78892ec7 in make /h/tree/src/a.c:6:26

SUMMARY: AddressSanitizer: heap-use-after-free /h/tree/a.c:7:32 in get
Shadow bytes around the buggy address:
  0x0c047fff7fb0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
=>0x0c047fff8000: fa fa 00 00[fa]fa fa fa fa fa fa fa fa fa fa fa
Shadow byte legend (one shadow byte represents 8 application bytes):
  Addressable:           00
  Partially addressable: 01 02 03 04 05 06 07
==6522==ABORTING
";

#[test]
fn a_report_of_address_sanitizer_has_kind_places_and_origins() {
    let seen = parsed(OVERFLOW);
    let [fault] = &seen.faults[..] else { panic!("{:?}", seen.faults) };
    assert_eq!((fault.detector, fault.kind.as_str()), (Detector::Address, "use-after-free"));
    assert_eq!(places(&fault.stack), ["get src/a.c:7", "scan(int, char const*) src/b c.cc:14"]);
    let origins: Vec<_> = fault.origins.iter().map(|origin| places(origin)).collect();
    assert_eq!(origins, [vec!["drop src/a.c:15"], vec!["qsort :6", "make src/a.c:6"]]);
    assert_eq!(String::from_utf8(seen.rest).unwrap(), "before\n");
    assert_eq!(seen.leaked, None);
}

#[test]
fn what_a_program_writes_around_reports_is_kept_as_it_is() {
    let cut = OVERFLOW.split_once("SUMMARY").unwrap().0;
    let (first, second) = (OVERFLOW.replace("before\n", "prompt> "), cut.replace("before\n", "more\n"));
    let seen = parsed(&format!("{first}between\r\n  x: y\n{second}"));
    assert_eq!(seen.faults.len(), 2);
    // Behind the last line of a report nothing looks like the report's, until the next begins.
    assert_eq!(String::from_utf8(seen.rest).unwrap(), "prompt> between\r\n  x: y\nmore\n");
    let bytes = [b"\xff\xfe\n".as_slice(), OVERFLOW.as_bytes(), b"\xff"].concat();
    let rest = sanitizer::parse(&bytes, Utf8Path::new(TREE)).rest;
    assert_eq!(rest, b"\xff\xfe\nbefore\n\xff");
}

#[test]
fn the_kinds_of_address_sanitizer_are_words() {
    let kind = |head: &str, summary: &str| {
        let text = format!("==1==ERROR: AddressSanitizer: {head}\n    #0 0x1 in f /h/tree/a.c:1\n{summary}");
        let fault = parsed(&text).faults.remove(0);
        (fault.kind, fault.detector)
    };
    for (head, expected) in [
        ("heap-buffer-overflow on address 0x6", "heap-buffer-overflow"),
        ("attempting double-free on 0x6 in thread T0:", "double-free"),
        ("attempting free on address which was not malloc()-ed: 0x6 in thread T0", "bad-free"),
        ("requested allocation size 0xff (0xff after) exceeds maximum", "allocation-size-too-big"),
        ("memcpy-param-overlap: memory ranges [0x6,0x7) and [0x6, 0x8) overlap", "memcpy-param-overlap"),
        ("negative-size-param: (size=-1)", "negative-size-param"),
        ("stack-overflow on address 0x7 (pc 0x5 bp 0x7 sp 0x7 T0)", "stack-overflow"),
        ("alloc-dealloc-mismatch (operator new [] vs free) on 0x6", "alloc-dealloc-mismatch"),
    ] {
        assert_eq!(kind(head, ""), (expected.to_owned(), Detector::Address));
    }
    assert_eq!(kind("SEGV on unknown address 0x0 (pc 0x5)", ""), ("SIGSEGV".to_owned(), Detector::Crash));
    assert_eq!(kind("FPE on unknown address 0x5", ""), ("SIGFPE".to_owned(), Detector::Crash));
    let summary = "SUMMARY: AddressSanitizer: bad-malloc_usable_size /h/tree/a.c:1 in f\n";
    assert_eq!(kind("something new", summary).0, "bad-malloc_usable_size");
}

#[test]
fn runtime_errors_are_read_with_and_without_stacks() {
    let text = "p> a.c:36:41: runtime error: store to misaligned address 0x602000000011 for type 'int', which requires 4
0x602000000011: note: pointer points here
 00 00 00  be be be be be be be be  be be be be be be be be
              ^ 
    #0 0x561823bcc172 in main /h/tree/lib/a.c:36:44
    #1 0x7f833641d249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior a.c:36:41 in 
own
/h/tree/b.c:17:32: runtime error: signed integer overflow: 2147483647 + 2 cannot be represented in type 'int'

own too
";
    let seen = parsed(text);
    let faults: Vec<_> =
        seen.faults.iter().map(|fault| (fault.kind.as_str(), places(&fault.stack))).collect();
    assert_eq!(
        faults,
        [
            ("misaligned-pointer-use", vec!["main lib/a.c:36".to_owned()]),
            ("signed-integer-overflow", vec![" b.c:17".to_owned()])
        ]
    );
    assert_eq!(String::from_utf8(seen.rest).unwrap(), "p> own\n\nown too\n");
}

#[test]
fn runtime_errors_of_an_interpreter_are_its_own() {
    for text in [
        "loop.bas:3: runtime error: division by zero\n",
        "x.lua:3:1: runtime error: nil\n",
        ": runtime error: \n",
    ] {
        let seen = parsed(text);
        assert_eq!((seen.faults.len(), seen.rest.as_slice()), (0, text.as_bytes()));
    }
}

#[test]
fn undefined_behaviour_has_the_words_that_the_sanitizer_has_for_it() {
    for (message, kind) in [
        ("negation of -2147483648 cannot be represented in type 'int'", "signed-integer-overflow"),
        ("division by zero", "integer-divide-by-zero"),
        ("division of -2147483648 by -1 cannot be represented in type 'int'", "signed-integer-overflow"),
        ("unsigned integer overflow: 1 - 2 cannot be represented", "unsigned-integer-overflow"),
        ("shift exponent 43 is too large for 32-bit type 'int'", "invalid-shift-exponent"),
        ("left shift of negative value -1", "invalid-shift-base"),
        ("index 6 out of bounds for type 'int[4]'", "out-of-bounds-index"),
        ("applying zero offset to null pointer", "nullptr-with-offset"),
        ("applying non-zero offset 12 to null pointer", "nullptr-with-nonzero-offset"),
        ("load of null pointer of type 'int'", "null-pointer-use"),
        ("null pointer passed as argument 1, which is declared to never be null", "invalid-null-argument"),
        ("3e+30 is outside the range of representable values of type 'int'", "float-cast-overflow"),
        ("load of value 7, which is not a valid value for type 'bool'", "invalid-bool-load"),
        ("load of value 7, which is not a valid value for type 'enum e'", "invalid-enum-load"),
        ("variable length array bound evaluates to non-positive value -1", "non-positive-vla-index"),
        ("something of next year", "undefined-behavior"),
    ] {
        assert_eq!(undefined::kind(message), kind, "{message}");
    }
}

#[test]
fn leaks_are_counted_by_kind_and_are_no_faults() {
    let text = "out

=================================================================
==7061==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 16 byte(s) in 1 object(s) allocated from:
    #0 0x5577afbee15e in __interceptor_malloc (/h/tree/san+0xa415e)
    #1 0x5577afc29d43 in main /h/tree/a.c:30:25

Direct leak of 4 byte(s) in 1 object(s) allocated from:
    #1 0x5577afc29d43 in main /h/tree/a.c:31:25

Indirect leak of 20 byte(s) in 1 object(s) allocated from:
    #1 0x5577afc29d54 in main /h/tree/a.c:30:44

SUMMARY: AddressSanitizer: 40 byte(s) leaked in 3 allocation(s).
";
    let seen = parsed(text);
    assert_eq!(seen.leaked, Some(Leaked { definitely: 20, indirectly: 20, possibly: 0 }));
    assert_eq!((seen.faults.len(), seen.rest.as_slice()), (0, b"out\n".as_slice()));
}

#[test]
fn endless_recursion_keeps_both_ends_of_its_stack() {
    let frame = |at| format!("    #{at} 0x5 in deep /h/tree/a.c:{}:52\n", at + 1);
    let frames = (0..247).map(frame).collect::<Vec<_>>().concat();
    let seen = parsed(&format!("==1==ERROR: AddressSanitizer: stack-overflow on address 0x7\n{frames}"));
    let stack = &seen.faults[0].stack;
    assert_eq!((stack.len(), stack[0].line, stack.last().unwrap().line), (64, 1, 247));
}

#[test]
fn a_global_variable_is_an_origin() {
    let text =
        "==1==ERROR: AddressSanitizer: global-buffer-overflow on address 0x5\n    #0 0x5 in f /h/tree/a.c:3\n
0x5 is located 4 bytes to the right of global variable 'g' defined in 'lib/z.c:9:5' (0x5) of size 16\n";
    assert_eq!(places(&parsed(text).faults[0].origins[0]), [" lib/z.c:9"]);
}

#[test]
fn a_report_that_breaks_off_anywhere_is_read_as_far_as_it_goes() {
    let undefined = "x\u{a0}/h/tree/b.c:17:32: runtime error: signed integer overflow: 1\n    #0 0x5 in f /h/tree/b.c:1\n";
    for text in [OVERFLOW, undefined, MEMCHECK] {
        for end in 0..text.len() {
            let cut = &text.as_bytes()[..end];
            assert!(sanitizer::parse(cut, Utf8Path::new(TREE)).faults.len() <= 1);
            let xml = String::from_utf8_lossy(cut);
            assert!(valgrind::parse(&xml, Utf8Path::new(TREE)).faults.len() <= 2);
        }
    }
    let seen = parsed("x\u{a0}b.c:17:32: runtime error: division by zero\n");
    assert_eq!(
        (places(&seen.faults[0].stack)[0].as_str(), seen.rest.as_slice()),
        (" b.c:17", "x\u{a0}".as_bytes())
    );
}

fn aborted(stderr: &str) -> Parsed {
    read(stderr.as_bytes(), &ProgramEnd::Signalled(6), Utf8Path::new(TREE))
}

#[test]
fn the_last_words_of_the_c_library_tell_the_kind() {
    for (words, kind) in [
        ("free(): invalid pointer", "bad-free"),
        ("free(): double free detected in tcache 2", "double-free"),
        ("double free or corruption (out)", "double-free"),
        ("free(): invalid next size (fast)", "heap-corruption"),
        ("malloc(): corrupted top size", "heap-corruption"),
        ("corrupted size vs. prev_size", "heap-corruption"),
        ("*** stack smashing detected ***: terminated", "stack-smashing"),
        ("*** buffer overflow detected ***: terminated", "buffer-overflow"),
        ("terminate called after throwing an instance of 'std::bad_alloc'", "uncaught-exception"),
    ] {
        let seen = aborted(&format!("own\n{words}\n"));
        assert_eq!((seen.faults.len(), seen.faults[0].kind.as_str()), (1, kind));
        assert_eq!(seen.rest, b"own\n");
    }
    assert_eq!(aborted("bad\n").faults[0].kind, "SIGABRT");
    // Whoever prints the words and lives has said nothing.
    let alive = read(b"free(): invalid pointer\n", &ProgramEnd::Exited(0), Utf8Path::new(TREE));
    assert_eq!((alive.faults.len(), alive.rest.len()), (0, 24));
}

#[test]
fn a_failed_assertion_has_its_place() {
    for (text, place) in [
        ("prog: a.c:22: int *main(int, char **): Assertion `c == 77' failed.", "main a.c:22"),
        ("prog: ./lib/a.c:12: scan: Assertion `f(\"x: y\") && \"never\"' failed.", "scan lib/a.c:12"),
        ("prog: /h/tree/b.c:2: g: Assertion `0' failed.", "g b.c:2"),
    ] {
        let fault = aborted(&format!("{text}\n")).faults.remove(0);
        assert_eq!((fault.kind.as_str(), places(&fault.stack)), ("assertion", vec![place.to_owned()]));
    }
}

#[test]
fn a_sanitizer_that_catches_an_abort_gives_the_assertion_its_stack() {
    let text = "prog: a.c:22: main: Assertion `0' failed.\nAddressSanitizer:DEADLYSIGNAL
=================================================================
==7==ERROR: AddressSanitizer: ABRT on unknown address 0x3 (pc 0x7 bp 0x7 sp 0x7 T0)
    #0 0x7f in abort stdlib/abort.c:79:7
    #1 0x55 in inner /h/tree/a.c:22:3
SUMMARY: AddressSanitizer: ABRT /h/tree/a.c:22:3 in inner
==7==ABORTING\n";
    let seen = read(text.as_bytes(), &ProgramEnd::Exited(1), Utf8Path::new(TREE));
    let [fault] = &seen.faults[..] else { panic!("{:?}", seen.faults) };
    assert_eq!((fault.kind.as_str(), places(&fault.stack)[1].as_str()), ("assertion", "inner a.c:22"));
    assert!(seen.rest.is_empty());
}

#[test]
fn an_end_that_nobody_explains_is_a_fault_and_a_request_to_end_is_none() {
    let kinds = |end: ProgramEnd| -> Vec<String> {
        let faults = read(b"", &end, Utf8Path::new(TREE)).faults;
        faults.into_iter().map(|fault| fault.kind).collect()
    };
    assert_eq!(kinds(ProgramEnd::Signalled(11)), ["SIGSEGV"]);
    assert_eq!(kinds(ProgramEnd::Signalled(42)), ["signal-42"]);
    assert_eq!(kinds(ProgramEnd::TimedOut), ["timeout"]);
    assert!(kinds(ProgramEnd::Exited(1)).is_empty());
    assert!(kinds(ProgramEnd::Signalled(15)).is_empty());
}

const MEMCHECK: &str = "<?xml version=\"1.0\"?>
<valgrindoutput>
<error><unique>0x0</unique><tid>1</tid><kind>UninitCondition</kind>
  <what>Conditional jump or move depends on uninitialised value(s)</what>
  <stack><frame><ip>0x1093BC</ip><fn>main</fn><dir>./lib/../src</dir><file>a.c</file><line>27</line></frame></stack>
  <auxwhat>Uninitialised value was created by a heap allocation</auxwhat>
  <stack>
    <frame><obj>/usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so</obj><fn>malloc</fn></frame>
    <frame><obj>/h/tree/vg</obj><fn>make</fn><dir>/h/tree</dir><file>a.c</file><line>6</line></frame>
  </stack>
</error>
<fatal_signal><tid>1</tid><signo>11</signo><signame>SIGSEGV</signame><event>Access not within mapped region</event>
  <stack><frame><fn>main</fn><dir>/h/tree</dir><file>a.c</file><line>33</line></frame></stack></fatal_signal>
<status><state>FINISHED</state><time>00:00:00:01.289 </time></status>
<error><kind>Leak_PossiblyLost</kind><xwhat><text>16 bytes in 1 blocks are possibly lost</text>
  <leakedbytes>16</leakedbytes></xwhat><stack/></error>
<error><kind>Leak_StillReachable</kind><xwhat><text>t</text><leakedbytes>99</leakedbytes></xwhat><stack/></error>
</valgrindoutput>
";

#[test]
fn a_report_of_memcheck_has_errors_origins_signal_and_leaks() {
    let seen = valgrind::parse(MEMCHECK, Utf8Path::new(TREE));
    let [uninitialised, signal] = &seen.faults[..] else { panic!("{:?}", seen.faults) };
    assert_eq!(uninitialised.kind, "uninitialised-value");
    assert_eq!(places(&uninitialised.stack), ["main src/a.c:27"]);
    assert_eq!(places(&uninitialised.origins[0]), ["make a.c:6"]);
    assert_eq!((signal.detector, signal.kind.as_str()), (Detector::Crash, "SIGSEGV"));
    assert_eq!(seen.leaked, Some(Leaked { possibly: 16, ..Leaked::default() }));
}

#[test]
fn a_report_of_memcheck_without_an_end_is_read_as_far_as_it_goes() {
    let cut = MEMCHECK.split_once("<fatal_signal>").unwrap().0;
    let seen = valgrind::parse(&format!("{cut}<error><kind>Inv"), Utf8Path::new(TREE));
    assert_eq!((seen.faults.len(), seen.leaked), (1, None));
    assert_eq!(valgrind::parse("", Utf8Path::new(TREE)), Parsed::default());
}
