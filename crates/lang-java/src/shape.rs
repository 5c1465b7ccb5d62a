//! What other classes can see of a class: the part whose change makes its users compile anew.
//!
//! Two shapes are equal exactly when nothing outside of the class's own source file can tell the classes apart at
//! compile time. Bodies, private members and line numbers are no part of it; constants are, because javac copies
//! them into their users.

use std::collections::{BTreeMap, BTreeSet};

use cafebabe::attributes::{AttributeData, AttributeInfo};
use cafebabe::{FieldAccessFlags, MethodAccessFlags, ParseOptions};

/// The visible part of one class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Internal name: `pkg/Outer$Inner`.
    pub(crate) name: String,
    /// File name of the source, where the class says so.
    pub(crate) source: Option<String>,
    /// Internal names of superclass and interfaces.
    pub(crate) supertypes: Vec<String>,
    /// Flags, generic signature and annotations of the class itself.
    header: String,
    /// Visible fields and methods, each with all that a user can see of it.
    members: BTreeMap<String, String>,
    /// Values of visible constants by field name.
    constants: BTreeMap<String, String>,
}

/// How two shapes of one class differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ShapeChange {
    /// Something that is resolved by name: users that mention the class must be compiled anew.
    pub(crate) linkage: bool,
    /// Constants whose value changed: users carry a copy, and mention nothing but the name in their source.
    pub(crate) constants: BTreeSet<String>,
}

impl Shape {
    /// Reads a class file; `None` where it cannot be read.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let class =
            cafebabe::parse_class_with_options(bytes, ParseOptions::default().parse_bytecode(false)).ok()?;
        let mut members = BTreeMap::new();
        let mut constants = BTreeMap::new();
        for field in &class.fields {
            if field.access_flags.intersects(FieldAccessFlags::PRIVATE | FieldAccessFlags::SYNTHETIC) {
                continue;
            }
            members.insert(
                field.name.to_string(),
                format!("{:?} {} {}", field.access_flags, field.descriptor, visible(&field.attributes)),
            );
            if let Some(value) = constant(&field.attributes) {
                constants.insert(field.name.to_string(), value);
            }
        }
        for method in &class.methods {
            if method.access_flags.intersects(MethodAccessFlags::PRIVATE | MethodAccessFlags::SYNTHETIC)
                || method.name == "<clinit>"
            {
                continue;
            }
            members.insert(
                format!("{}{}", method.name, method.descriptor),
                format!("{:?} {}", method.access_flags, visible(&method.attributes)),
            );
        }
        let supertypes = class.super_class.iter().chain(&class.interfaces).map(ToString::to_string).collect();
        Some(Self {
            name: class.this_class.to_string(),
            source: source_file(&class.attributes),
            header: format!("{:?} {}", class.access_flags, visible(&class.attributes)),
            supertypes,
            members,
            constants,
        })
    }

    /// What users of `self` must notice when it becomes `other`.
    pub(crate) fn compare(&self, other: &Self) -> ShapeChange {
        let names = self.constants.keys().chain(other.constants.keys());
        let constants =
            names.filter(|name| self.constants.get(*name) != other.constants.get(*name)).cloned().collect();
        let linkage = self.header != other.header
            || self.supertypes != other.supertypes
            || self.members != other.members;
        ShapeChange { linkage, constants }
    }

    /// Name of the constant-holding fields; all of them change for their users when the class disappears.
    pub(crate) fn constant_names(&self) -> impl Iterator<Item = &String> {
        self.constants.keys()
    }

    /// The package part of the internal name, with slashes.
    pub(crate) fn package(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(package, _)| package)
    }
}

fn source_file(attributes: &[AttributeInfo<'_>]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::SourceFile(name) => Some(name.to_string()),
        _ => None,
    })
}

fn constant(attributes: &[AttributeInfo<'_>]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::ConstantValue(value) => Some(format!("{value:?}")),
        _ => None,
    })
}

/// The attributes that a compiler of a user's source reads, as text.
fn visible(attributes: &[AttributeInfo<'_>]) -> String {
    let mut text = Vec::new();
    for attribute in attributes {
        match &attribute.data {
            AttributeData::Signature(_)
            | AttributeData::Exceptions(_)
            | AttributeData::AnnotationDefault(_)
            | AttributeData::Deprecated
            | AttributeData::RuntimeVisibleAnnotations(_)
            | AttributeData::RuntimeInvisibleAnnotations(_)
            | AttributeData::PermittedSubclasses(_)
            | AttributeData::Module(_) => text.push(format!("{:?}", attribute.data)),
            AttributeData::Record(components) => {
                let parts =
                    components.iter().map(|component| format!("{}:{}", component.name, component.descriptor));
                text.extend(parts);
            }
            _ => {}
        }
    }
    text.join(";")
}
