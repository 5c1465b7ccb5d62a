//! Worked examples: two versions of a file, and what differs between them.

use std::fmt::Write;

use bonafix_lang_java::delta::{delta_file, test_methods_in};
use bonafix_model::{ChangeKind, Delta, DeltaElement, DeltaFile, LineAlignment, LineRange, Statement};
use camino::Utf8Path;

fn delta(before: &str, after: &str) -> DeltaFile {
    delta_file(Utf8Path::new("src/p/A.java"), Some(before.as_bytes()), Some(after.as_bytes()))
}

/// The members of a class `p.A` in both versions against the rendered delta.
fn check(before: &str, after: &str, expected: &str) {
    let class = |members: &str| format!("package p;\nclass A {{\n{members}\n}}\n");
    check_files(&class(before), &class(after), expected);
}

fn check_files(before: &str, after: &str, expected: &str) {
    let file = delta(before, after);
    assert_eq!(file.problem, None);
    assert_eq!(render(&file).trim(), unindent(expected).trim());
}

fn render(file: &DeltaFile) -> String {
    file.elements.iter().map(render_element).collect()
}

fn render_element(element: &DeltaElement) -> String {
    let sign = match element.change {
        ChangeKind::Added => "+",
        ChangeKind::Removed => "-",
        ChangeKind::Changed => "~",
    };
    let mut text = format!("{sign} {:?} {} in {}", element.kind, element.name, element.owner);
    if element.change == ChangeKind::Changed && element.signature_changed {
        text.push_str(" [signature]");
    }
    if element.only_nested {
        text.push_str(" [nested]");
    }
    if let Some(renamed) = &element.renamed {
        let _ = write!(text, " -> {} in {}", renamed.name, renamed.owner);
    }
    text.push('\n');
    for (at, statement) in element.statements_before.iter().enumerate() {
        let pair = element.statement_pairs.iter().find(|pair| pair.0 as usize == at);
        render_statement(&mut text, "-", statement);
        if let Some(&(_, after)) = pair {
            render_statement(&mut text, "=>", &element.statements_after[after as usize]);
        }
    }
    for (at, statement) in element.statements_after.iter().enumerate() {
        if !element.statement_pairs.iter().any(|pair| pair.1 as usize == at) {
            render_statement(&mut text, "+", statement);
        }
    }
    text
}

fn render_statement(text: &mut String, sign: &str, statement: &Statement) {
    let LineRange { first, last } = statement.lines;
    let extent =
        statement.extent.map(|LineRange { first, last }| format!(" of {first}-{last}")).unwrap_or_default();
    let _ = writeln!(text, "  {sign} {first}-{last}{extent} {}: {}", statement.kind, statement.text);
}

fn unindent(text: &str) -> String {
    let text = text.trim_matches('\n');
    let indentation = text.len() - text.trim_start().len();
    let mut lines = String::new();
    for line in text.lines() {
        lines.push_str(line.get(indentation..).unwrap_or(line.trim_start()));
        lines.push('\n');
    }
    lines
}

#[test]
fn a_changed_condition_is_the_head_of_its_if_on_both_sides() {
    check(
        "int f(int x) {\n if (x < 999) {\n  return 1;\n }\n return 0;\n}",
        "int f(int x) {\n if (x < 1000) {\n  return 1;\n }\n return 0;\n}",
        "
            ~ Method p.A#f(int) in p.A
              - 4-4 of 4-6 if_statement: if (x < 999) {
              => 4-4 of 4-6 if_statement: if (x < 1000) {
        ",
    );
}

#[test]
fn an_inserted_statement_is_on_the_patched_side_only() {
    check(
        "void f(int a, int b) {\n g(b);\n}",
        "void f(int a, int b) {\n g(a);\n g(b);\n}",
        "
            ~ Method p.A#f(int, int) in p.A
              + 4-4 expression_statement: g(a);
        ",
    );
}

#[test]
fn a_deleted_statement_is_on_the_buggy_side_only() {
    check(
        "void f() {\n g();\n h();\n}",
        "void f() {\n h();\n}",
        "
            ~ Method p.A#f() in p.A
              - 4-4 expression_statement: g();
        ",
    );
}

#[test]
fn an_inserted_if_is_listed_with_what_is_inside() {
    check(
        "int f(String s) {\n return s.length();\n}",
        "int f(String s) {\n if (s == null) {\n  return 0;\n }\n return s.length();\n}",
        "
            ~ Method p.A#f(String) in p.A
              + 4-4 of 4-6 if_statement: if (s == null) {
              + 5-5 return_statement: return 0;
        ",
    );
}

#[test]
fn a_guard_around_a_statement_leaves_the_statement_unchanged() {
    check(
        "void f(String s) {\n g(s);\n h(s);\n}",
        "void f(String s) {\n if (s != null) {\n  g(s);\n }\n h(s);\n}",
        "
            ~ Method p.A#f(String) in p.A
              + 4-4 of 4-6 if_statement: if (s != null) {
        ",
    );
}

#[test]
fn a_removed_guard_leaves_the_statement_unchanged() {
    check(
        "void f(String s) {\n if (s != null) {\n  g(s);\n  h(s);\n }\n}",
        "void f(String s) {\n g(s);\n h(s);\n}",
        "
            ~ Method p.A#f(String) in p.A
              - 4-4 of 4-7 if_statement: if (s != null) {
        ",
    );
}

#[test]
fn an_added_else_pairs_the_ifs_and_adds_its_statements() {
    check(
        "int f(int x) {\n if (x > 0) {\n  x++;\n }\n return x;\n}",
        "int f(int x) {\n if (x > 0) {\n  x++;\n } else {\n  x--;\n }\n return x;\n}",
        "
            ~ Method p.A#f(int) in p.A
              - 4-4 of 4-6 if_statement: if (x > 0) {
              => 6-6 of 4-8 if_statement: if (x > 0) {
              + 7-7 expression_statement: x--;
        ",
    );
}

#[test]
fn a_statement_moved_from_then_to_else_is_a_change() {
    check(
        "void f(int x) {\n if (x > 0) {\n  g();\n } else {\n }\n}",
        "void f(int x) {\n if (x > 0) {\n } else {\n  g();\n }\n}",
        "
            ~ Method p.A#f(int) in p.A
              - 5-5 expression_statement: g();
              + 6-6 expression_statement: g();
        ",
    );
}

#[test]
fn a_changed_loop_condition_behind_the_body_has_the_line_of_the_condition() {
    check(
        "void f(int x) {\n do {\n  x++;\n } while (x < 9);\n}",
        "void f(int x) {\n do {\n  x++;\n } while (x <= 9);\n}",
        "
            ~ Method p.A#f(int) in p.A
              - 6-6 of 4-6 do_statement: do {
              => 6-6 of 4-6 do_statement: do {
        ",
    );
}

#[test]
fn statements_of_every_sort_are_found() {
    check(
        "void f(int x) {\n for (int i = 0; i < x; i++) g(i);\n switch (x) {\n case 1:\n  g(1);\n  break;\n default:\n }\n try {\n  g(2);\n } catch (Error e) {\n  throw e;\n } finally {\n  g(3);\n }\n assert x > 0;\n synchronized (this) {\n  g(4);\n }\n}",
        "void f(int x) {\n for (int i = 1; i < x; i++) g(i);\n switch (x) {\n case 2:\n  g(1);\n  break;\n default:\n }\n try {\n  g(2);\n } catch (RuntimeException e) {\n  throw e;\n } finally {\n  g(30);\n }\n assert x > 1;\n synchronized (A.class) {\n  g(4);\n }\n}",
        "
            ~ Method p.A#f(int) in p.A
              - 4-4 for_statement: for (int i = 0; i < x; i++) g(i);
              => 4-4 for_statement: for (int i = 1; i < x; i++) g(i);
              - 6-6 of 6-8 switch_block_statement_group: case 1:
              => 6-6 of 6-8 switch_block_statement_group: case 2:
              - 13-13 of 13-15 catch_clause: catch (Error e) {
              => 13-13 of 13-15 catch_clause: catch (RuntimeException e) {
              - 16-16 expression_statement: g(3);
              => 16-16 expression_statement: g(30);
              - 18-18 assert_statement: assert x > 0;
              => 18-18 assert_statement: assert x > 1;
              - 19-19 of 19-21 synchronized_statement: synchronized (this) {
              => 19-19 of 19-21 synchronized_statement: synchronized (A.class) {
        ",
    );
}

#[test]
fn a_statement_inside_of_a_lambda_is_the_innermost_one() {
    check(
        "void f(java.util.List<String> l) {\n l.forEach(s -> {\n  g(s);\n  h(s);\n });\n}",
        "void f(java.util.List<String> l) {\n l.forEach(s -> {\n  g(s);\n  h(s + 1);\n });\n}",
        "
            ~ Method p.A#f(java.util.List<String>) in p.A
              - 6-6 expression_statement: h(s);
              => 6-6 expression_statement: h(s + 1);
        ",
    );
}

#[test]
fn comments_white_space_and_line_ends_change_nothing() {
    check(
        "/** Old. */ int f(int x) { return x; // same\n}",
        "/** New. */\r\n  int f( int x )\r\n  {\r\n    /* other */ return x;\r\n  }",
        "",
    );
}

#[test]
fn the_order_of_methods_and_imports_changes_nothing() {
    check_files(
        "package p;\nimport java.util.List;\nimport java.util.Map;\nclass A { void f() { } void g() { } }",
        "package p;\nimport java.util.Map;\nimport java.util.List;\nclass A { void g() { } void f() { } }",
        "",
    );
}

#[test]
fn a_moved_and_changed_method_is_compared_with_itself() {
    check(
        "int f() {\n return 1;\n}\nint g() {\n return 2;\n}",
        "int g() {\n return 2;\n}\nint f() {\n return 3;\n}",
        "
            ~ Method p.A#f() in p.A
              - 4-4 return_statement: return 1;
              => 7-7 return_statement: return 3;
        ",
    );
}

#[test]
fn a_renamed_method_is_removed_and_added() {
    check(
        "int f() {\n return 1;\n}",
        "int g() {\n return 1;\n}",
        "
            - Method p.A#f() in p.A
              - 4-4 return_statement: return 1;
            + Method p.A#g() in p.A
              + 4-4 return_statement: return 1;
        ",
    );
}

#[test]
fn a_changed_parameter_type_keeps_the_method_but_changes_its_signature() {
    check(
        "int f(int x) {\n return x;\n}",
        "int f(long x) {\n return x;\n}",
        "
            ~ Method p.A#f(int) in p.A [signature] -> p.A#f(long) in p.A
        ",
    );
}

#[test]
fn among_overloads_each_is_compared_with_itself() {
    check(
        "int f(int x) { return 1; }\nint f(String... x) { return 2; }",
        "int f(int x) { return 1; }\nint f(String... x) { return 3; }\nint f(final int[] x, java.util.Map< String,? extends T > y) { return 4; }",
        "
            ~ Method p.A#f(String...) in p.A
              - 4-4 return_statement: return 2;
              => 4-4 return_statement: return 3;
            + Method p.A#f(int[], java.util.Map<String, ? extends T>) in p.A
              + 5-5 return_statement: return 4;
        ",
    );
}

#[test]
fn modifiers_throws_and_type_parameters_are_signature_but_annotations_and_names_are_not() {
    check(
        "int f() { return 1; }",
        "private int f() { return 1; }",
        "
            ~ Method p.A#f() in p.A [signature]
        ",
    );
    check(
        "int f() { return 1; }",
        "int f() throws Exception { return 1; }",
        "
            ~ Method p.A#f() in p.A [signature]
        ",
    );
    check(
        "int f() { return 1; }",
        "<T> int f() { return 1; }",
        "
            ~ Method p.A#f() in p.A [signature]
        ",
    );
    check(
        "int f() { return 1; }",
        "long f() { return 1; }",
        "
            ~ Method p.A#f() in p.A [signature]
        ",
    );
    check(
        "int f() { return 1; }",
        "@Deprecated int f() { return 1; }",
        "
            ~ Method p.A#f() in p.A
        ",
    );
    check(
        "void f(int a) { }",
        "void f(final int b) { }",
        "
            ~ Method p.A#f(int) in p.A
        ",
    );
}

#[test]
fn fields_are_told_apart_even_in_one_declaration() {
    check(
        "static final int X = 1, Y = 2;",
        "static final int X = 1, Y = 3;",
        "
            ~ Field p.A#Y in p.A
              - 3-3 variable_declarator: static final int X = 1, Y = 2
              => 3-3 variable_declarator: static final int X = 1, Y = 3
        ",
    );
    check(
        "int x;",
        "long x;",
        "
            ~ Field p.A#x in p.A [signature]
              - 3-3 variable_declarator: int x
              => 3-3 variable_declarator: long x
        ",
    );
    check(
        "int x;",
        "int x;\n int y = 1;",
        "
            + Field p.A#y in p.A
              + 4-4 variable_declarator: int y = 1
        ",
    );
}

#[test]
fn constructors_and_initialisers_are_elements() {
    check(
        "A(int x) { this.x = x; }",
        "A(int x) { this.x = -x; }",
        "
            ~ Constructor p.A#A(int) in p.A
              - 3-3 expression_statement: this.x = x;
              => 3-3 expression_statement: this.x = -x;
        ",
    );
    check(
        "static { g(1); }\nstatic { g(2); }",
        "static { g(1); }\nstatic { g(3); }",
        "
            ~ Initialiser p.A#static {} in p.A
              - 4-4 expression_statement: g(2);
              => 4-4 expression_statement: g(3);
        ",
    );
    check(
        "{ g(1); }",
        "{ g(2); }",
        "
            ~ Initialiser p.A#{} in p.A
              - 3-3 expression_statement: g(1);
              => 3-3 expression_statement: g(2);
        ",
    );
    check(
        "A() { super(); g(); }",
        "A() { this(1); g(); }",
        "
            ~ Constructor p.A#A() in p.A
              - 3-3 explicit_constructor_invocation: super();
              => 3-3 explicit_constructor_invocation: this(1);
        ",
    );
}

#[test]
fn fields_that_are_initialised_in_another_order_change_their_type() {
    check(
        "int a = g();\nint b = h();",
        "int b = h();\nint a = g();",
        "
            ~ Type p.A in p.A
        ",
    );
    check("int a;\nint b;", "int b;\nint a;", "");
    check_files(
        "enum E { A, B }",
        "enum E { B, A }",
        "
            ~ Type E in E
        ",
    );
}

#[test]
fn heads_of_types_are_elements() {
    check_files(
        "class A { int x; }",
        "final class A<T> extends B implements C { int x; }",
        "
            ~ Type A in A [signature]
        ",
    );
    check_files(
        "sealed interface S permits A, B { }",
        "sealed interface S permits A { }",
        "
            ~ Type S in S [signature]
        ",
    );
    check_files(
        "class A { }",
        "@Deprecated class A { }",
        "
            ~ Type A in A
        ",
    );
}

#[test]
fn imports_and_the_package_belong_to_the_file() {
    check_files(
        "package p;\nimport java.util.List;\nimport java.awt.*;\nclass A { }",
        "package p;\nimport java.util.List;\nimport static java.lang.Math.max;\nclass A { }",
        "
            ~ File src/p/A.java in p
              - 3-3 import_declaration: import java.awt.*;
              + 3-3 import_declaration: import static java.lang.Math.max;
        ",
    );
}

#[test]
fn enums_records_and_annotations_have_members() {
    check_files(
        "enum E { A(1) { int f() { return 1; } }, B(2); E(int x) { } int f() { return 0; } }",
        "enum E { A(1) { int f() { return 2; } }, B(3), C(4); E(int x) { } int f() { return 0; } }",
        "
            ~ Field E#A in E [nested]
            ~ Field E#B in E
              - 1-1 enum_constant: B(2)
              => 1-1 enum_constant: B(3)
            ~ Method E$1#f() in E$1
              - 1-1 return_statement: return 1;
              => 1-1 return_statement: return 2;
            + Field E#C in E
              + 1-1 enum_constant: C(4)
        ",
    );
    check_files(
        "record R(int x, String y) { R { check(x); } }",
        "record R(int x, String y, long... z) { R { check(x, y); } }",
        "
            ~ Constructor R#R(int, String) in R [signature] -> R#R(int, String, long...) in R
              - 1-1 expression_statement: check(x);
              => 1-1 expression_statement: check(x, y);
            + Field R#z in R
              + 1-1 spread_parameter: long... z
        ",
    );
    check_files(
        "@interface N { int value() default 1; }",
        "@interface N { int value() default 2; }",
        "
            ~ Field N#value in N
              - 1-1 annotation_type_element_declaration: int value() default 1;
              => 1-1 annotation_type_element_declaration: int value() default 2;
        ",
    );
}

#[test]
fn nested_local_and_anonymous_classes_have_binary_names() {
    check(
        "static class B { class C { int f() { return 1; } } }",
        "static class B { class C { int f() { return 2; } } }",
        "
            ~ Method p.A.B.C#f() in p.A$B$C
              - 3-3 return_statement: return 1;
              => 3-3 return_statement: return 2;
        ",
    );
    check(
        "void m() {\n class L {\n  int f() { return 1; }\n }\n}",
        "void m() {\n class L {\n  int f() { return 2; }\n }\n}",
        "
            ~ Method p.A#m() in p.A [nested]
            ~ Method p.A$1L#f() in p.A$1L
              - 5-5 return_statement: return 1;
              => 5-5 return_statement: return 2;
        ",
    );
    check(
        "Runnable m() {\n return new Runnable() {\n  public void run() {\n   g(1);\n  }\n };\n}",
        "Runnable m() {\n return new Runnable() {\n  public void run() {\n   g(2);\n  }\n };\n}",
        "
            ~ Method p.A#m() in p.A [nested]
            ~ Method p.A$1#run() in p.A$1
              - 6-6 expression_statement: g(1);
              => 6-6 expression_statement: g(2);
        ",
    );
}

#[test]
fn an_anonymous_class_that_got_another_number_is_still_the_same() {
    check(
        "void m() {\n use(new Runnable() {\n  public void run() { g(1); }\n });\n}",
        "void m() {\n use(new Runnable() {\n  public void run() { g(0); }\n });\n use(new Runnable() {\n  public void run() { g(1); }\n });\n}",
        "
            ~ Method p.A#m() in p.A
              + 4-6 expression_statement: use(new Runnable() {
            + Method p.A$1#run() in p.A$1
              + 5-5 expression_statement: g(0);
        ",
    );
}

/// The numbers are those that javac 17 gives.
#[test]
fn anonymous_and_local_classes_are_numbered_per_enclosing_class() {
    let source = "class O {\n Object f = new Object() { int a; };\n enum E { X { int b; } }\n \
        void m() { class L { Object o = new Object() { int c; }; }\n \
        use(new R() { int d; void run() { new Object() { int e; }; } }, new Object() { int f; }); }\n \
        static { class L { int g; } }\n}";
    let file = delta_file(Utf8Path::new("O.java"), None, Some(source.as_bytes()));
    let owners: Vec<String> = file
        .elements
        .iter()
        .filter(|element| {
            element.member.len() == 1 && ('a'..='g').any(|name| element.member.starts_with(name))
        })
        .map(|element| format!("{} {}", element.owner, element.member))
        .collect();
    assert_eq!(owners, ["O f", "O$1 a", "O$E$1 b", "O$1L$1 c", "O$2 d", "O$2$1 e", "O$3 f", "O$2L g"]);
}

#[test]
fn java_21_is_understood() {
    check(
        "String f(Object o) {\n return switch (o) {\n  case Integer i when i > 0 -> \"a\";\n  case P(int x, var y) -> {\n   yield \"b\";\n  }\n  case null, default -> \"\"\"\n    text // no comment\n    \"\"\";\n };\n}",
        "String f(Object o) {\n return switch (o) {\n  case Integer i when i > 1 -> \"a\";\n  case P(int x, var y) -> {\n   yield \"c\";\n  }\n  case null, default -> \"\"\"\n      text // no comment\n      \"\"\";\n };\n}",
        "
            ~ Method p.A#f(Object) in p.A
              - 5-5 switch_rule: case Integer i when i > 0 -> \"a\";
              => 5-5 switch_rule: case Integer i when i > 1 -> \"a\";
              - 7-7 yield_statement: yield \"b\";
              => 7-7 yield_statement: yield \"c\";
        ",
    );
}

#[test]
fn what_looks_like_a_comment_in_a_text_block_is_text() {
    check(
        "String s = \"\"\"\n  // a\n  \"\"\";",
        "String s = \"\"\"\n  // b\n  \"\"\";",
        "
            ~ Field p.A#s in p.A
              - 3-5 variable_declarator: String s = \"\"\"
              => 3-5 variable_declarator: String s = \"\"\"
        ",
    );
}

#[test]
fn a_new_file_is_all_added_and_a_deleted_one_all_removed() {
    let path = Utf8Path::new("p/A.java");
    let text = b"package p;\nclass A {\n int x = 1;\n int f() { return x; }\n}\n";
    let file = delta_file(path, None, Some(text));
    assert_eq!(file.change, ChangeKind::Added);
    let expected = "
        + File p/A.java in p
          + 1-1 package_declaration: package p;
        + Type p.A in p.A
        + Field p.A#x in p.A
          + 3-3 variable_declarator: int x = 1
        + Method p.A#f() in p.A
          + 4-4 return_statement: return x;
    ";
    assert_eq!(render(&file).trim(), unindent(expected).trim());
    let file = delta_file(path, Some(text), None);
    assert_eq!(file.change, ChangeKind::Removed);
    assert!(file.elements.iter().all(|element| element.change == ChangeKind::Removed));
}

#[test]
fn package_and_module_descriptions_belong_to_the_file() {
    check_files(
        "@Deprecated package p;",
        "package p;",
        "
            ~ File src/p/A.java in p
              - 1-1 package_declaration: @Deprecated package p;
              + 1-1 package_declaration: package p;
        ",
    );
    check_files(
        "module m { requires a; }",
        "module m { requires b; }",
        "
            ~ File src/p/A.java in 
        ",
    );
}

#[test]
fn a_broken_file_is_a_problem_but_the_rest_is_still_compared() {
    let file = delta(
        "class A {\n int f() { return 1; }\n int g( { }\n}\n",
        "class A {\n int f() { return 2; }\n int g( { }\n}\n",
    );
    assert!(file.problem.as_deref().is_some_and(|problem| problem.contains("line 3")), "{:?}", file.problem);
    assert!(file.elements.iter().any(|element| element.member == "f"), "{:?}", file.elements);
}

#[test]
fn latin_1_sources_are_read() {
    let source = |value: u8| {
        [b"class A { /* caf\xe9 */ String s = \"\xe4\"; int f() { return ", &[value][..], b"; } }"].concat()
    };
    let file = delta_file(Utf8Path::new("A.java"), Some(&source(b'1')), Some(&source(b'2')));
    assert_eq!(file.problem, None);
    assert_eq!(file.elements.len(), 1);
    assert_eq!(file.elements[0].member, "f");
}

#[test]
fn any_difference_of_a_resource_counts() {
    let path = Utf8Path::new("src/main/resources/x.properties");
    let file = delta_file(path, Some(b"a=1\nb=2\n"), Some(b"a=1\nb=3\n"));
    assert_eq!(file.problem, None);
    assert_eq!(file.alignment.runs, [(1, 1, 1)]);
    assert_eq!(render(&file), "~ File src/main/resources/x.properties in \n");
    assert!(Delta { files: vec![file] }.is_semantic());
    assert!(delta_file(path, Some(b"a"), Some(b"a")).elements.is_empty());
}

#[test]
fn lines_are_aligned_whatever_their_ends() {
    let file = delta("class A {\r\n int x;\r\n}\r\n", "class A {\n int x;  \n}");
    assert_eq!(file.alignment, LineAlignment { runs: vec![(1, 1, 3)], ..LineAlignment::default() });
}

#[test]
fn an_inserted_method_does_not_tear_apart_the_braces_of_its_neighbours() {
    let file = delta(
        "class A {\n void f() {\n  a();\n }\n\n void g() {\n  b();\n }\n}\n",
        "class A {\n void f() {\n  a();\n }\n\n void n() {\n  c();\n }\n\n void g() {\n  b();\n }\n}\n",
    );
    assert_eq!(file.alignment.runs, [(1, 1, 5), (6, 10, 4)]);
}

#[test]
fn an_indented_or_moved_statement_keeps_its_identity() {
    let file = delta(
        "class A {\n void f(String s) {\n  g(s);\n }\n}\n",
        "class A {\n void f(String s) {\n  if (s != null) {\n   g(s);\n  }\n }\n}\n",
    );
    assert_eq!(file.alignment.after(3), Some(4));
    assert_eq!(file.alignment.before(4), Some(3));
    assert_eq!(file.alignment.before(3), None);
}

#[test]
fn test_methods_of_every_junit_are_found() {
    let source = b"package p;
        class A extends junit.framework.TestCase {
            public void testOld() { }
            public void testWith(int x) { }
            void testHidden() { }
            public int testValue() { return 1; }
            public void helper() { }
            static class In {
                @Test public void four() { }
                @org.junit.jupiter.api.Test void five() { }
                @ParameterizedTest @ValueSource(ints = {1}) void many(int x) { }
                @RepeatedTest(3) void again() { }
                @TestFactory Object factory() { return null; }
                @Theory public void theory(int x) { }
                @Before public void setUp() { }
                public void testNoCase() { }
            }
        }";
    let found = test_methods_in(source);
    let found: Vec<String> = found.iter().map(|(class, method)| format!("{class}.{method}")).collect();
    assert_eq!(
        found,
        [
            "p.A.testOld",
            "p.A$In.four",
            "p.A$In.five",
            "p.A$In.many",
            "p.A$In.again",
            "p.A$In.factory",
            "p.A$In.theory"
        ]
    );
}

/// The syntactic distance between two methods with these bodies.
fn distance(before: &str, after: &str) -> u64 {
    let method = |body: &str| format!("class A {{ void m() {{ {body} }} }}");
    let found = delta(&method(before), &method(after)).syntactic_distance.expect("both are understood");
    assert!(!found.at_most);
    found.nodes
}

#[test]
fn another_operator_and_other_operands_go_and_come() {
    assert_eq!(distance("return a > b + 1;", "return c < d + 1;"), 6);
    assert_eq!(distance("x += 1;", "x -= 1;"), 2);
    assert_eq!(distance("x++;", "++x;"), 2, "the operator moves");
    assert_eq!(distance("f(\"a b\");", "f(\"a  b\");"), 2);
    assert_eq!(distance("int i = 0;", "long i = 0;"), 2);
    assert_eq!(distance("int[] i;", "int[][] i;"), 1);
    assert_eq!(distance("int i = 0;", "final int i = 0;"), 1);
}

#[test]
fn what_is_put_around_a_statement_costs_itself_and_its_condition() {
    assert_eq!(distance("f(a, b);", "if (c) { f(a, b); }"), 3, "if, c, block");
    assert_eq!(distance("f(a, b);", "if (c) f(a, b);"), 2);
    assert_eq!(distance("if (c) { f(); }", "f();"), 3);
    assert_eq!(distance("if (c) { f(); }", "if (c) { f(); } else { return; }"), 2, "block, return");
}

#[test]
fn a_statement_that_moves_goes_and_comes() {
    assert_eq!(distance("a(); b(1); c();", "b(1); c(); a();"), 6, "statement, call and name, twice");
    assert_eq!(distance("if (c) { a(); } else { }", "if (c) { } else { a(); }"), 2, "the empty block moves");
}

#[test]
fn comments_white_space_and_needless_parentheses_cost_nothing() {
    assert_eq!(distance("f(a); // one\n", "/* two */ f( a /* three */ ) ;"), 0);
    assert_eq!(distance("return a + b * c;", "return (a + (b * c));"), 0);
    assert_eq!(
        distance("return (a + b) * c;", "return a + b * c;"),
        2,
        "one product holds the sum, or the sum the product"
    );
    assert_eq!(distance("", "/* nothing */ "), 0);
}

#[test]
fn a_new_file_costs_all_its_nodes() {
    let path = Utf8Path::new("A.java");
    let source: &[u8] = b"class A { int f; }";
    let file = delta_file(path, None, Some(source));
    // Class, name, body, field, type, declarator, name.
    assert_eq!(file.syntactic_distance.unwrap().nodes, 7);
    assert_eq!(delta_file(path, Some(source), None).syntactic_distance, file.syntactic_distance);
}

#[test]
fn what_is_not_understood_has_no_syntactic_distance() {
    assert_eq!(delta("class A { int f; }", "class A { int = }").syntactic_distance, None);
    let resource = delta_file(Utf8Path::new("a.properties"), Some(b"a=1"), Some(b"a=2"));
    assert_eq!(resource.syntactic_distance, None);
}
