//! The sorts of member that a type can have.

use bonafix_model::ElementKind;
use tree_sitter::Node;

use super::syntax::is_type_body;

/// The sorts of member, as far as the walk treats them differently.
pub(super) enum Member {
    Method,
    Constructor,
    StaticInitialiser,
    Initialiser,
    EnumConstant,
    Component,
    Annotation,
    Field { ordered: bool },
}

impl Member {
    pub(super) fn of(node: Node<'_>, parent: &str, grandparent: &str) -> Option<Self> {
        match node.kind() {
            "method_declaration" => Some(Self::Method),
            "constructor_declaration" | "compact_constructor_declaration" => Some(Self::Constructor),
            "static_initializer" => Some(Self::StaticInitialiser),
            "block" if is_type_body(parent) => Some(Self::Initialiser),
            "enum_constant" => Some(Self::EnumConstant),
            "formal_parameter" | "spread_parameter" if grandparent == "record_declaration" => {
                Some(Self::Component)
            }
            "annotation_type_element_declaration" => Some(Self::Annotation),
            _ => None,
        }
    }

    pub(super) fn kind(&self) -> ElementKind {
        match self {
            Self::Method => ElementKind::Method,
            Self::Constructor => ElementKind::Constructor,
            Self::StaticInitialiser | Self::Initialiser => ElementKind::Initialiser,
            _ => ElementKind::Field,
        }
    }

    pub(super) fn is_ordered(&self) -> bool {
        match self {
            Self::Field { ordered } => *ordered,
            Self::StaticInitialiser | Self::Initialiser | Self::EnumConstant | Self::Component => true,
            Self::Method | Self::Constructor | Self::Annotation => false,
        }
    }

    /// The member's name for the machine and, after the `#`, for people.
    pub(super) fn names(&self, declared: &str, parameters: &[String]) -> (String, String) {
        let call = || format!("{declared}({})", parameters.join(", "));
        match self {
            Self::Method => (declared.to_owned(), call()),
            Self::Constructor => ("<init>".to_owned(), call()),
            Self::StaticInitialiser => ("<clinit>".to_owned(), "static {}".to_owned()),
            Self::Initialiser => ("<init>".to_owned(), "{}".to_owned()),
            _ => (declared.to_owned(), declared.to_owned()),
        }
    }
}
