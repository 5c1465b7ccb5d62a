//! Objects that stand for an interface: a lambda where that says it all, else a proxy as the search itself uses. A class
//! without a name that stands for an abstract one asks such a proxy, too.

use bonafix_model::{CallableKind, Catalog};

use super::types::{OBJECT, of_descriptor};

/// The helper that a test gets which cannot do with lambdas. Does what the arena's `Stub` does.
pub(super) const HELPER: &str = r#"
    /** Stands for an interface: answers each call with the next of the answers, and the last one for ever after. */
    private static Object stub(final Class<?> type, final Object... answers) {
        return java.lang.reflect.Proxy.newProxyInstance(
                type.getClassLoader() == null ? ClassLoader.getSystemClassLoader() : type.getClassLoader(),
                new Class<?>[] {type},
                new java.lang.reflect.InvocationHandler() {
            private int next;

            @Override
            public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
                String name = method.getName();
                if (method.getDeclaringClass() == Object.class) {
                    String text = "stub of " + type.getName();
                    return name.equals("equals") ? (Object) (proxy == arguments[0])
                            : name.equals("hashCode") ? (Object) text.hashCode() : text;
                }
                if (!java.lang.reflect.Modifier.isAbstract(method.getModifiers())) {
                    try {
                        return java.lang.reflect.InvocationHandler.class.getMethod("invokeDefault", Object.class,
                                java.lang.reflect.Method.class, Object[].class).invoke(null, proxy, method, arguments);
                    } catch (NoSuchMethodException beforeJava16) {
                        // Answered like any other method.
                    } catch (java.lang.reflect.InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }
                Object answer = answers.length == 0 ? null : answers[Math.min(next++, answers.length - 1)];
                Class<?> result = method.getReturnType();
                if (result == void.class) {
                    return null;
                }
                Class<?> box = java.lang.invoke.MethodType.methodType(result).wrap().returnType();
                if (answer == null ? !result.isPrimitive() : box.isInstance(answer)) {
                    return answer;
                }
                return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(result, 1), 0);
            }
        });
    }
"#;

/// The one method of an interface that a lambda can stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Single {
    pub(super) parameters: usize,
    /// Erased.
    pub(super) result: String,
}

/// The method that a lambda for the interface implements; none where that is not known.
pub(super) fn single_method(catalog: &Catalog, interface: &str) -> Option<Single> {
    known(interface).or_else(|| {
        let info = catalog.types.iter().find(|info| info.name == interface)?;
        let mut methods = catalog
            .callables
            .iter()
            .filter(|callable| callable.owner == interface && callable.kind == CallableKind::Method);
        let (Some(method), None) = (methods.next(), methods.next()) else { return None };
        if !info.is_functional {
            return None;
        }
        let (parameters, result) = of_descriptor(&method.descriptor);
        Some(Single { parameters: parameters.len(), result })
    })
}

/// Those of the JDK, whose methods no catalog lists.
fn known(interface: &str) -> Option<Single> {
    let single = |parameters: usize, result: &str| Some(Single { parameters, result: result.to_owned() });
    let name = match interface {
        "java.util.Comparator" => return single(2, "int"),
        "java.lang.Comparable" => return single(1, "int"),
        "java.lang.Runnable" => return single(0, "void"),
        "java.util.concurrent.Callable" => return single(0, OBJECT),
        _ => interface.strip_prefix("java.util.function.")?,
    };
    let two = name.starts_with("Bi") || name.starts_with("Obj") || name.contains("Bi");
    let takes = if name.ends_with("Supplier") { 0 } else { 1 + usize::from(two) };
    let primitive = |text: &str| {
        [("Int", "int"), ("Long", "long"), ("Double", "double")]
            .into_iter()
            .find(|(start, _)| text.starts_with(start))
            .map(|(_, primitive)| primitive)
    };
    let result = if name.ends_with("Consumer") {
        "void"
    } else if name.ends_with("Predicate") || name == "BooleanSupplier" {
        "boolean"
    } else if let Some((_, target)) = name.split_once("To") {
        primitive(target)?
    } else if name.ends_with("Operator") || name.ends_with("Supplier") {
        primitive(name).unwrap_or(OBJECT)
    } else if name.ends_with("Function") {
        OBJECT
    } else {
        return None;
    };
    single(takes, result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_jdk_are_known_by_their_names() {
        for (name, parameters, result) in [
            ("BiConsumer", 2, "void"),
            ("ObjIntConsumer", 2, "void"),
            ("BinaryOperator", 2, OBJECT),
            ("IntBinaryOperator", 2, "int"),
            ("DoubleUnaryOperator", 1, "double"),
            ("ToLongBiFunction", 2, "long"),
            ("IntToDoubleFunction", 1, "double"),
            ("IntFunction", 1, OBJECT),
            ("BooleanSupplier", 0, "boolean"),
            ("LongSupplier", 0, "long"),
            ("Supplier", 0, OBJECT),
            ("IntPredicate", 1, "boolean"),
            ("UnaryOperator", 1, OBJECT),
        ] {
            let found = known(&format!("java.util.function.{name}"));
            assert_eq!(found, Some(Single { parameters, result: result.to_owned() }), "{name}");
        }
        assert_eq!(known("java.util.List"), None);
    }
}
