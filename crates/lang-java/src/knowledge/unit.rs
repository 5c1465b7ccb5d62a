//! A parsed source file, its imports, its classes and their members.

use tree_sitter::{Node, Parser, Tree};

/// A source file.
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) package: String,
    pub(super) imports: Vec<Import>,
    tree: Tree,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    /// Without the asterisk.
    pub(super) name: String,
    pub(super) is_static: bool,
    pub(super) on_demand: bool,
}

/// A class, interface, enum or record that a file declares.
pub(super) struct Class<'a> {
    pub(super) unit: &'a Unit,
    /// `pkg.Outer$Inner`.
    pub(super) binary: String,
    /// Binary name of the class around it.
    pub(super) outer: Option<String>,
    /// As written, without type arguments.
    pub(super) superclass: Option<String>,
    pub(super) is_abstract: bool,
    pub(super) fields: Vec<Field<'a>>,
    pub(super) methods: Vec<Method<'a>>,
}

/// A field.
pub(super) struct Field<'a> {
    pub(super) name: String,
    pub(super) declared: TypeName,
    pub(super) value: Option<Node<'a>>,
    /// `static final`, or of an interface.
    pub(super) is_constant: bool,
}

/// A method or constructor.
pub(super) struct Method<'a> {
    pub(super) node: Node<'a>,
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) varargs: bool,
    pub(super) result: TypeName,
    pub(super) body: Option<Node<'a>>,
}

/// A parameter of a method or of a lambda.
#[derive(Debug, Clone, Default)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) declared: TypeName,
}

/// A type as written, without type arguments and annotations: `Map.Entry`, and how many dimensions it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TypeName {
    pub(super) name: String,
    pub(super) dimensions: usize,
}

impl Unit {
    pub(super) fn parse(text: String) -> Self {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_java::LANGUAGE.into()).expect("the grammar fits the library");
        let tree = parser.parse(&text, None).expect("without a time limit there is always a tree");
        let mut unit = Self { text, package: String::new(), imports: Vec::new(), tree };
        let (mut package, mut imports) = (String::new(), Vec::new());
        for node in children(unit.root()) {
            match node.kind() {
                "package_declaration" => package = unit.dotted(node),
                "import_declaration" => imports.push(unit.import(node)),
                _ => {}
            }
        }
        (unit.package, unit.imports) = (package, imports);
        unit
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    pub(super) fn text(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// The name in a package or import declaration, without white space.
    fn dotted(&self, node: Node<'_>) -> String {
        children(node)
            .into_iter()
            .find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"))
            .map(|name| self.text(name).chars().filter(|c| !c.is_whitespace()).collect())
            .unwrap_or_default()
    }

    fn import(&self, node: Node<'_>) -> Import {
        let mut cursor = node.walk();
        let kinds: Vec<&str> = node.children(&mut cursor).map(|child| child.kind()).collect();
        Import {
            name: self.dotted(node),
            is_static: kinds.contains(&"static"),
            on_demand: kinds.contains(&"asterisk"),
        }
    }

    /// All classes of the file, nested ones included; not those inside of methods.
    pub(super) fn classes(&self) -> Vec<Class<'_>> {
        let mut found = Vec::new();
        let mut open: Vec<(Node<'_>, Option<String>)> =
            children(self.root()).into_iter().rev().map(|node| (node, None)).collect();
        while let Some((node, outer)) = open.pop() {
            if !crate::delta::syntax::is_type(node.kind()) {
                continue;
            }
            let Some(name) = node.child_by_field_name("name") else { continue };
            let binary = match &outer {
                Some(outer) => format!("{outer}${}", self.text(name)),
                None if self.package.is_empty() => self.text(name).to_owned(),
                None => format!("{}.{}", self.package, self.text(name)),
            };
            let class = self.class(node, binary.clone(), outer);
            open.extend(members(node).into_iter().rev().map(|member| (member, Some(binary.clone()))));
            found.push(class);
        }
        found
    }

    fn class<'a>(&'a self, node: Node<'a>, binary: String, outer: Option<String>) -> Class<'a> {
        let superclass = node.child_by_field_name("superclass").and_then(|node| children(node).pop());
        let mut class = Class {
            unit: self,
            binary,
            outer,
            superclass: superclass.map(|node| self.type_name(node).name),
            is_abstract: self.has_modifier(node, "abstract") || node.kind() == "interface_declaration",
            fields: Vec::new(),
            methods: Vec::new(),
        };
        for member in members(node) {
            match member.kind() {
                "field_declaration" | "constant_declaration" => self.add_fields(member, &mut class.fields),
                "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
                    class.methods.push(self.method(member));
                }
                _ => {}
            }
        }
        class
    }

    fn add_fields<'a>(&'a self, node: Node<'a>, fields: &mut Vec<Field<'a>>) {
        let declared = self.type_of_field(node, "type");
        let is_constant = node.kind() == "constant_declaration"
            || self.has_modifier(node, "static") && self.has_modifier(node, "final");
        for declarator in declarators(node) {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            fields.push(Field {
                name: self.text(name).to_owned(),
                declared: self.with_dimensions(declared.clone(), declarator),
                value: declarator.child_by_field_name("value"),
                is_constant,
            });
        }
    }

    fn method<'a>(&'a self, node: Node<'a>) -> Method<'a> {
        let name = node.child_by_field_name("name").map_or("", |name| self.text(name));
        let is_constructor = node.kind() != "method_declaration";
        let list = node.child_by_field_name("parameters");
        let (parameters, varargs) = list.map(|list| self.parameters(list)).unwrap_or_default();
        Method {
            node,
            name: if is_constructor { "<init>".to_owned() } else { name.to_owned() },
            parameters,
            varargs,
            result: self.type_of_field(node, "type"),
            body: node.child_by_field_name("body"),
        }
    }

    /// Parameters of a `formal_parameters` node, and whether the last one takes any number of arguments.
    pub(super) fn parameters(&self, list: Node<'_>) -> (Vec<Parameter>, bool) {
        let mut varargs = false;
        let mut parameters = Vec::new();
        for node in children(list) {
            match node.kind() {
                "formal_parameter" => {
                    let name = node.child_by_field_name("name").map_or("", |name| self.text(name));
                    let declared = self.with_dimensions(self.type_of_field(node, "type"), node);
                    parameters.push(Parameter { name: name.to_owned(), declared });
                }
                "spread_parameter" => {
                    varargs = true;
                    let parts = children(node);
                    let named = parts.iter().find(|part| part.kind() == "variable_declarator");
                    let name = named.and_then(|part| part.child_by_field_name("name"));
                    let element = parts
                        .iter()
                        .find(|part| !matches!(part.kind(), "modifiers" | "variable_declarator"))
                        .map(|part| self.type_name(*part))
                        .unwrap_or_default();
                    let declared = TypeName { dimensions: element.dimensions + 1, ..element };
                    let name = name.map_or("", |name| self.text(name)).to_owned();
                    parameters.push(Parameter { name, declared });
                }
                _ => {}
            }
        }
        (parameters, varargs)
    }

    fn type_of_field(&self, node: Node<'_>, field: &str) -> TypeName {
        node.child_by_field_name(field).map(|node| self.type_name(node)).unwrap_or_default()
    }

    /// The type with the dimensions that stand behind a name: `int a[]`.
    pub(super) fn with_dimensions(&self, mut declared: TypeName, node: Node<'_>) -> TypeName {
        if let Some(dimensions) = node.child_by_field_name("dimensions") {
            declared.dimensions += self.text(dimensions).matches('[').count();
        }
        declared
    }

    /// A type node as written, erased.
    pub(super) fn type_name(&self, node: Node<'_>) -> TypeName {
        match node.kind() {
            "array_type" => {
                let element = self.type_of_field(node, "element");
                self.with_dimensions(element, node)
            }
            "annotated_type" => {
                let inner = children(node).into_iter().rfind(|child| !is_annotation(child.kind()));
                inner.map(|inner| self.type_name(inner)).unwrap_or_default()
            }
            "generic_type" => children(node).first().map(|raw| self.type_name(*raw)).unwrap_or_default(),
            "scoped_type_identifier" => {
                let parts: Vec<String> = children(node)
                    .into_iter()
                    .filter(|part| !is_annotation(part.kind()))
                    .map(|part| self.type_name(part).name)
                    .collect();
                TypeName { name: parts.join("."), dimensions: 0 }
            }
            _ => TypeName {
                name: self.text(node).chars().filter(|c| !c.is_whitespace()).collect(),
                dimensions: 0,
            },
        }
    }

    pub(super) fn has_modifier(&self, node: Node<'_>, wanted: &str) -> bool {
        let Some(modifiers) = modifiers(node) else { return false };
        let mut cursor = modifiers.walk();
        modifiers.children(&mut cursor).any(|child| self.text(child) == wanted)
    }

    /// The annotations of a declaration: simple name and node.
    pub(super) fn annotations<'a>(&'a self, node: Node<'a>) -> Vec<(&'a str, Node<'a>)> {
        let Some(modifiers) = modifiers(node) else { return Vec::new() };
        children(modifiers)
            .into_iter()
            .filter(|child| is_annotation(child.kind()))
            .filter_map(|node| {
                let name = self.text(node.child_by_field_name("name")?);
                Some((name.rsplit('.').next().unwrap_or(name).trim(), node))
            })
            .collect()
    }
}

impl<'a> Class<'a> {
    pub(super) fn field(&self, name: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The package of its file.
    pub(super) fn package(&self) -> &str {
        &self.unit.package
    }
}

/// Named children but comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !matches!(child.kind(), "line_comment" | "block_comment"))
        .collect()
}

pub(super) fn modifiers(node: Node<'_>) -> Option<Node<'_>> {
    children(node).into_iter().find(|child| child.kind() == "modifiers")
}

/// The `variable_declarator` children of a declaration.
pub(super) fn declarators(node: Node<'_>) -> Vec<Node<'_>> {
    children(node).into_iter().filter(|child| child.kind() == "variable_declarator").collect()
}

/// What stands in the body of a type.
pub(super) fn members(node: Node<'_>) -> Vec<Node<'_>> {
    let Some(body) = node.child_by_field_name("body") else { return Vec::new() };
    let mut found = Vec::new();
    for child in children(body) {
        if child.kind() == "enum_body_declarations" {
            found.extend(children(child));
        } else {
            found.push(child);
        }
    }
    found
}

pub(super) fn is_annotation(kind: &str) -> bool {
    kind == "annotation" || kind == "marker_annotation"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_fields_and_methods_are_found() {
        let unit = Unit::parse(
            "package p.q; import java.util.*; import static a.B.c;\n\
             abstract class A<T> extends java.util.AbstractList<T> { int[] a, b[] = {}; A(int x) {}\n\
             @Deprecated void f(Map.Entry<T, int[]> e, final String... rest) {} enum E { X; int g() { return 1; } } }"
                .to_owned(),
        );
        assert_eq!(unit.package, "p.q");
        assert_eq!(unit.imports.len(), 2);
        assert!(unit.imports[0].on_demand && unit.imports[1].is_static);
        let classes = unit.classes();
        let names: Vec<&str> = classes.iter().map(|class| class.binary.as_str()).collect();
        assert_eq!(names, ["p.q.A", "p.q.A$E"]);
        assert_eq!(classes[0].superclass.as_deref(), Some("java.util.AbstractList"));
        assert!(classes[0].is_abstract);
        assert_eq!(classes[0].field("b").map(|field| field.declared.dimensions), Some(2));
        let method = &classes[0].methods[1];
        assert!(method.varargs);
        let types: Vec<(&str, usize)> = method
            .parameters
            .iter()
            .map(|each| (each.declared.name.as_str(), each.declared.dimensions))
            .collect();
        assert_eq!(types, [("Map.Entry", 0), ("String", 1)]);
        assert_eq!(classes[1].methods[0].name, "g");
    }
}
