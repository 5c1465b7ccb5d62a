//! Primitive types and their boxes, by name.

const BOXES: [(&str, &str); 8] = [
    ("boolean", "java.lang.Boolean"),
    ("byte", "java.lang.Byte"),
    ("short", "java.lang.Short"),
    ("char", "java.lang.Character"),
    ("int", "java.lang.Integer"),
    ("long", "java.lang.Long"),
    ("float", "java.lang.Float"),
    ("double", "java.lang.Double"),
];

pub(crate) fn is_primitive(name: &str) -> bool {
    box_of(name).is_some()
}

/// The box of a primitive type.
pub(crate) fn box_of(name: &str) -> Option<&'static str> {
    BOXES.iter().find(|(primitive, _)| *primitive == name).map(|(_, boxed)| *boxed)
}

/// The primitive type in a box.
pub(crate) fn in_box(name: &str) -> Option<&'static str> {
    BOXES.iter().find(|(_, boxed)| *boxed == name).map(|(primitive, _)| *primitive)
}

/// The primitive type in a box, or the primitive type itself.
pub(crate) fn unboxed(name: &str) -> Option<&'static str> {
    BOXES.iter().find(|(primitive, boxed)| *boxed == name || *primitive == name).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_primitive_type_and_its_box_find_each_other() {
        for (primitive, boxed) in BOXES {
            assert_eq!((box_of(primitive), in_box(boxed)), (Some(boxed), Some(primitive)));
            assert_eq!((unboxed(primitive), unboxed(boxed)), (Some(primitive), Some(primitive)));
            assert!(is_primitive(primitive) && !is_primitive(boxed));
        }
        assert_eq!((box_of("void"), in_box("int"), unboxed("java.lang.String")), (None, None, None));
    }
}
