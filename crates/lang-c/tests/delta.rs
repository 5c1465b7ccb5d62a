//! What a change of a C or C++ source means.

use bonafix_lang_c::delta::delta_file;
use bonafix_model::{ChangeKind, DeltaElement, DeltaFile, ElementKind};
use camino::Utf8Path;

const PROGRAM: &str = r#"#include <stdio.h>
#include "table.h"

#define LIMIT 16

struct entry {
    const char *name;
    int size;
};

typedef struct {
    int first, last;
} span_t;

static int count = 0, most;
static const char *words[] = { "one", "two" };
int (*hook)(int);
int lookup(const char *name);

/* Adds a name. */
static int add(struct entry *table, const char *name, int n)
{
    if (n >= LIMIT)
        return -1;
    for (int i = 0; i < n; i++) {
        if (table[i].name == name)
            return i;
    }
#ifdef VERBOSE
    printf("%s\n", name);
#endif
    switch (n) {
    case 0:
        count = 1;
        break;
    default:
        count++;
    }
    table[n].name = name;
    return n;
}

int main(void)
{
    return add(0, "x", 0);
}
"#;

fn delta(path: &str, before: &str, after: &str) -> DeltaFile {
    let file = delta_file(Utf8Path::new(path), Some(before.as_bytes()), Some(after.as_bytes()));
    assert_eq!(file.problem, None);
    file
}

fn change(from: &str, to: &str) -> DeltaFile {
    assert_eq!(PROGRAM.matches(from).count(), 1, "{from}");
    delta("a.c", PROGRAM, &PROGRAM.replace(from, to))
}

fn names(file: &DeltaFile) -> Vec<(&str, ElementKind, ChangeKind)> {
    file.elements.iter().map(|element| (element.name.as_str(), element.kind, element.change)).collect()
}

fn only(file: &DeltaFile) -> &DeltaElement {
    assert_eq!(file.elements.len(), 1, "{:?}", names(file));
    &file.elements[0]
}

#[test]
fn a_changed_condition_is_one_statement_of_one_function() {
    let file = change("i < n; i++", "i <= n; i++");
    let element = only(&file);
    assert_eq!((element.name.as_str(), element.kind), ("add", ElementKind::Method));
    assert_eq!(element.parameters, ["struct entry *", "const char *", "int"]);
    assert!(!element.signature_changed);
    let statement = &element.statements_after[0];
    assert_eq!((statement.kind.as_str(), statement.lines.first), ("for_statement", 25));
    assert_eq!(file.syntactic_distance.unwrap().nodes, 2, "`<` goes and `<=` comes");
}

#[test]
fn comments_white_space_and_the_order_of_functions_change_nothing() {
    assert!(change("/* Adds a name. */", "// adds\n//a name").elements.is_empty());
    assert!(change("    return n;", "\treturn n ;  /* done */").elements.is_empty());
    let at = PROGRAM.find("int main").unwrap();
    let moved = format!("{}{}", &PROGRAM[at..], &PROGRAM[..at]);
    assert!(delta("a.c", PROGRAM, &moved).elements.is_empty());
}

#[test]
fn a_guard_put_around_statements_is_the_guard_alone() {
    let file =
        change("    table[n].name = name;\n", "    if (name) {\n        table[n].name = name;\n    }\n");
    let element = only(&file);
    assert!(element.statements_before.is_empty());
    let kinds: Vec<&str> = element.statements_after.iter().map(|statement| statement.kind.as_str()).collect();
    assert_eq!(kinds, ["if_statement"]);
}

#[test]
fn statements_of_a_case_and_of_a_conditional_are_seen() {
    let element = |from, to| only(&change(from, to)).clone();
    assert_eq!(element("count++;", "count += 2;").statements_after[0].lines.first, 37);
    assert_eq!(element("printf(\"%s\\n\", name);", "puts(name);").statements_after[0].lines.first, 30);
}

#[test]
fn macros_variables_types_and_includes_are_elements() {
    let check = |from, to, name: &str, kind| {
        let file = change(from, to);
        assert_eq!(names(&file), [(name, kind, ChangeKind::Changed)], "{from}");
    };
    check("LIMIT 16", "LIMIT 17", "LIMIT", ElementKind::Field);
    check("count = 0, most", "count = 1, most", "count", ElementKind::Field);
    check("\"two\" }", "\"three\" }", "words", ElementKind::Field);
    check("(*hook)(int)", "(*hook)(long)", "hook", ElementKind::Field);
    check("int size;", "long size;", "entry", ElementKind::Type);
    check("first, last", "first, end", "span_t", ElementKind::Type);
    check("<stdio.h>", "<stdlib.h>", "a.c", ElementKind::File);
    check("int lookup(const char *name);", "long lookup(const char *name);", "a.c", ElementKind::File);
}

#[test]
fn another_parameter_is_a_changed_signature_and_another_name_another_function() {
    let file = change("const char *name, int n)", "const char *name, long n)");
    assert!(only(&file).signature_changed);
    let file = change("static int add(struct", "static int put(struct");
    let add = ("add", ElementKind::Method, ChangeKind::Removed);
    assert_eq!(names(&file), [add, ("put", ElementKind::Method, ChangeKind::Added)]);
}

const CLASS: &str = r"namespace shop {
template <typename T> T least(T a, T b) { return a < b ? a : b; }
class Cart {
public:
    int total() const { return sum; }
    void add(int price);
    void add(double price) { sum += (int)price; }
private:
    int sum = 0;
};
void Cart::add(int price) { sum += price; }
}
";

#[test]
fn functions_of_classes_and_namespaces_have_their_whole_names() {
    let changed = |from: &str, to: &str| -> Vec<String> {
        assert_eq!(CLASS.matches(from).count(), 1, "{from}");
        let file = delta("cart.cpp", CLASS, &CLASS.replace(from, to));
        file.elements.into_iter().map(|element| element.name).collect()
    };
    assert_eq!(changed("a < b", "a > b"), ["shop::least(T, T)"]);
    assert_eq!(changed("return sum;", "return -sum;"), ["shop::Cart::total()"]);
    assert_eq!(changed("(int)price", "(long)price"), ["shop::Cart::add(double)"]);
    assert_eq!(changed("sum += price", "sum -= price"), ["shop::Cart::add(int)"]);
    assert_eq!(changed("int sum = 0", "int sum = 1"), ["shop::Cart"]);
}

#[test]
fn a_header_is_read_in_the_language_it_is_written_in() {
    let file = delta("cart.h", CLASS, &CLASS.replace("return sum;", "return -sum;"));
    assert_eq!(only(&file).name, "shop::Cart::total()");
}

#[test]
fn what_is_no_source_is_taken_as_a_whole() {
    let file = delta("Makefile", "a:\n\tcc a.c\n", "a:\n\tcc -O2 a.c\n");
    assert_eq!(names(&file), [("Makefile", ElementKind::File, ChangeKind::Changed)]);
}

#[test]
fn every_version_of_the_program_is_the_same_as_itself_and_lines_are_aligned() {
    let file = change("    table[n].name = name;\n", "");
    assert_eq!(file.alignment.after(1), Some(1));
    assert_eq!(file.alignment.before(39), Some(40));
    assert!(delta("a.c", PROGRAM, PROGRAM).elements.is_empty());
}
