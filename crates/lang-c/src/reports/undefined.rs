//! The kinds of UndefinedBehaviorSanitizer, by what it says: the words that it has for them itself.

/// What a message begins with or contains, and its kind. The first that fits counts.
const KINDS: [(&str, &str); 28] = [
    ("unsigned integer overflow", "unsigned-integer-overflow"),
    ("signed integer overflow", "signed-integer-overflow"),
    ("negation of ", "signed-integer-overflow"),
    ("division by zero", "integer-divide-by-zero"),
    ("division of ", "signed-integer-overflow"),
    ("shift exponent ", "invalid-shift-exponent"),
    ("left shift of ", "invalid-shift-base"),
    ("out of bounds for type", "out-of-bounds-index"),
    ("applying zero offset to null pointer", "nullptr-with-offset"),
    ("to null pointer", "nullptr-with-nonzero-offset"),
    ("produced null pointer", "nullptr-after-nonzero-offset"),
    ("pointer index expression", "pointer-overflow"),
    ("addition of unsigned offset", "pointer-overflow"),
    ("subtraction of unsigned offset", "pointer-overflow"),
    ("misaligned address", "misaligned-pointer-use"),
    ("assumption of", "alignment-assumption"),
    ("null pointer passed as argument", "invalid-null-argument"),
    ("null pointer returned from", "invalid-null-return"),
    ("null pointer of type", "null-pointer-use"),
    ("insufficient space for an object", "insufficient-object-size"),
    ("outside the range of representable values", "float-cast-overflow"),
    ("not a valid value for type", "invalid-enum-load"),
    ("variable length array bound", "non-positive-vla-index"),
    ("reached the end of a value-returning function", "missing-return"),
    ("an unreachable program point", "unreachable-call"),
    ("passing zero to ", "invalid-builtin-use"),
    ("through pointer to incorrect function type", "function-type-mismatch"),
    ("implicit conversion ", "implicit-conversion"),
];

/// The kind of `signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'`.
pub(super) fn kind(message: &str) -> &'static str {
    if message.contains("not a valid value for type 'bool'") {
        return "invalid-bool-load";
    }
    KINDS.iter().find(|(words, _)| message.contains(words)).map_or("undefined-behavior", |&(_, kind)| kind)
}
