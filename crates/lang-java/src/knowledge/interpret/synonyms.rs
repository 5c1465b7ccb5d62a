//! What the catalog does not have of the JDK, said with what it has: `List.of(1)` as `Arrays.asList(1)`.

use bonafix_model::{CallableKind, Literal};

use super::{Constant, Interpreter, STRING, Value};

impl<'a> Interpreter<'a> {
    /// A static call, a constructor (`<init>`) or a constant of the JDK in other words.
    pub(super) fn synonym(&mut self, owner: &str, name: &str, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        match (owner, name) {
            ("java.util.Collections", "singletonList") | ("java.util.List", "of" | "copyOf") => {
                self.list_of(arguments)
            }
            ("java.util.Collections", "singleton") | ("java.util.Set", "of") => {
                self.collection_of("java.util.LinkedHashSet", arguments)
            }
            ("java.util.Collections", "singletonMap") | ("java.util.Map", "of") => self.map_of(arguments),
            ("java.util.Collections", "nCopies") => self.copies(arguments),
            (
                "java.util.ArrayList"
                | "java.util.LinkedList"
                | "java.util.HashSet"
                | "java.util.LinkedHashSet"
                | "java.util.TreeSet"
                | "java.util.ArrayDeque"
                | "java.util.Vector",
                "<init>",
            ) => self.copied_collection(owner, arguments),
            ("java.math.BigDecimal" | "java.math.BigInteger", _) => self.big_number(owner, name, arguments),
            ("java.time.LocalDate" | "java.time.LocalTime" | "java.time.LocalDateTime", "parse") => {
                let [Value::Constant(Constant { literal: Literal::Text(units), .. })] = arguments else {
                    return None;
                };
                self.time(owner, &String::from_utf16(units).ok()?)
            }
            ("java.time.Duration", _) => self.duration(name, arguments),
            ("java.lang.StringBuilder" | "java.lang.StringBuffer", "<init>") => {
                let text = if arguments.is_empty() {
                    vec![Value::Constant(Constant::text(""))]
                } else {
                    return None;
                };
                self.library(owner, name, &text)
            }
            ("java.util.Optional", "ofNullable") => match arguments {
                [Value::Constant(Constant { literal: Literal::Null, .. })] => {
                    self.library(owner, "empty", &[])
                }
                _ => self.library(owner, "of", arguments),
            },
            _ => None,
        }
    }

    /// A call of what the catalog has of the JDK.
    fn library(&mut self, owner: &str, name: &str, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let kinds = [CallableKind::StaticMethod, CallableKind::Constructor];
        let choice = self.chosen(owner, name, &kinds, arguments)?;
        let made = self.chosen_call(choice, None, arguments);
        self.remember_contents(owner, name, &made, arguments);
        matches!(made, Value::Made { .. }).then_some(made)
    }

    fn list_of(&mut self, items: &[Value<'a>]) -> Option<Value<'a>> {
        self.library("java.util.Arrays", "asList", items)
    }

    fn collection_of(&mut self, class: &str, items: &[Value<'a>]) -> Option<Value<'a>> {
        let made = self.library(class, "<init>", &[])?;
        for item in items {
            self.value_call(&made, "add", std::slice::from_ref(item));
        }
        Some(made)
    }

    fn map_of(&mut self, entries: &[Value<'a>]) -> Option<Value<'a>> {
        let made = self.library("java.util.LinkedHashMap", "<init>", &[])?;
        for entry in entries.chunks_exact(2) {
            self.value_call(&made, "put", entry);
        }
        Some(made)
    }

    fn copies(&mut self, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let [Value::Constant(count), item] = arguments else { return None };
        let count = usize::try_from(count.as_integer()?).ok().filter(|count| *count <= 64)?;
        self.list_of(&vec![item.clone(); count])
    }

    /// `new ArrayList<>(collection)` where the contents are known, and `new ArrayList<>(10)`.
    fn copied_collection(&mut self, class: &str, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let items = match arguments {
            [Value::Made { slot, .. }] => self.state.contents.get(slot)?.clone(),
            [Value::Constant(capacity)] if capacity.as_integer().is_some() => Vec::new(),
            _ => return None,
        };
        self.collection_of(class, &items)
    }

    fn big_number(&mut self, owner: &str, name: &str, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let text = match (name, arguments) {
            ("ZERO", []) => "0".to_owned(),
            ("ONE", []) => "1".to_owned(),
            ("TEN", []) => "10".to_owned(),
            ("valueOf" | "<init>", [Value::Constant(value)]) => {
                // `valueOf(double)` goes by the shortest text, which Java writes as Rust does within bounds.
                let plain = |value: &f64| (1e-3..1e7).contains(&value.abs()) || *value == 0.0;
                let shortest = || value.as_double().filter(|_| name == "valueOf").filter(plain);
                let whole = value.as_integer().map(|value| value.to_string());
                whole.or_else(|| shortest().map(|value| format!("{value:?}")))?
            }
            _ => return None,
        };
        self.library(owner, "<init>", &[Value::Constant(Constant::text(&text))])
    }

    fn duration(&mut self, name: &str, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let unit = match name {
            "ofSeconds" => 1000,
            "ofMinutes" => 60_000,
            "ofHours" => 3_600_000,
            "ofDays" => 86_400_000,
            "ZERO" => 0,
            _ => return None,
        };
        let count = match arguments {
            [Value::Constant(count)] => count.as_integer()?,
            [] => 0,
            _ => return None,
        };
        let millis = Constant::new("long", Literal::Integer(count.checked_mul(unit)?));
        self.library("java.time.Duration", "ofMillis", &[Value::Constant(millis)])
    }

    /// `2023-05-17`, `10:15:30` or both with a `T` between them.
    fn time(&mut self, owner: &str, text: &str) -> Option<Value<'a>> {
        let numbers: Option<Vec<i64>> = text.split(['-', ':', 'T']).map(|part| part.parse().ok()).collect();
        let mut numbers = numbers?;
        let wanted = match owner {
            "java.time.LocalDateTime" => 5,
            _ => 3,
        };
        if owner == "java.time.LocalTime" {
            numbers.resize(wanted, 0);
        }
        let arguments: Vec<Value<'a>> =
            numbers.iter().map(|number| Value::Constant(Constant::int(*number))).collect();
        (numbers.len() == wanted).then(|| self.library(owner, "of", &arguments)).flatten()
    }

    /// An argument of a parameterised test as its parameter takes it.
    pub(super) fn test_argument(&mut self, argument: &Constant, parameter: &str) -> Value<'a> {
        let Literal::Text(units) = &argument.literal else {
            return Self::as_declared(Value::Constant(argument.clone()), parameter);
        };
        let text = String::from_utf16_lossy(units);
        if parameter == STRING {
            return Value::Constant(argument.clone());
        }
        if let Some(callable) = self.types.field(parameter, &text, CallableKind::StaticGet) {
            return self.call(callable, None, &[], false);
        }
        let value = self.time(parameter, &text).or_else(|| self.synonym_of_text(parameter, argument));
        value.unwrap_or(Value::Unknown)
    }

    fn synonym_of_text(&mut self, parameter: &str, argument: &Constant) -> Option<Value<'a>> {
        if let Some(constant) =
            super::library::static_call(parameter, "valueOf", std::slice::from_ref(argument))
        {
            return Some(Value::Constant(constant));
        }
        self.library(parameter, "<init>", &[Value::Constant(argument.clone())])
    }
}
