//! Which exceptions are part of what a method promises.

use bonafix_model::{Callable, CallableFacts};

use super::scene::Scene;

/// Exceptions of the JDK that programs throw or provoke, each with its superclass.
const SUPERCLASSES: &[(&str, &str)] = &[
    ("java.lang.Exception", "java.lang.Throwable"),
    ("java.lang.Error", "java.lang.Throwable"),
    ("java.lang.RuntimeException", "java.lang.Exception"),
    ("java.lang.AssertionError", "java.lang.Error"),
    ("java.lang.VirtualMachineError", "java.lang.Error"),
    ("java.lang.StackOverflowError", "java.lang.VirtualMachineError"),
    ("java.lang.OutOfMemoryError", "java.lang.VirtualMachineError"),
    ("java.lang.InternalError", "java.lang.VirtualMachineError"),
    ("java.lang.LinkageError", "java.lang.Error"),
    ("java.lang.ExceptionInInitializerError", "java.lang.LinkageError"),
    ("java.lang.NoClassDefFoundError", "java.lang.LinkageError"),
    ("java.lang.ClassFormatError", "java.lang.LinkageError"),
    ("java.lang.UnsupportedClassVersionError", "java.lang.ClassFormatError"),
    ("java.lang.VerifyError", "java.lang.LinkageError"),
    ("java.lang.UnsatisfiedLinkError", "java.lang.LinkageError"),
    ("java.lang.BootstrapMethodError", "java.lang.LinkageError"),
    ("java.lang.IncompatibleClassChangeError", "java.lang.LinkageError"),
    ("java.lang.NoSuchMethodError", "java.lang.IncompatibleClassChangeError"),
    ("java.lang.NoSuchFieldError", "java.lang.IncompatibleClassChangeError"),
    ("java.lang.AbstractMethodError", "java.lang.IncompatibleClassChangeError"),
    ("java.lang.IllegalAccessError", "java.lang.IncompatibleClassChangeError"),
    ("java.lang.InstantiationError", "java.lang.IncompatibleClassChangeError"),
    ("java.lang.ArithmeticException", "java.lang.RuntimeException"),
    ("java.lang.ArrayStoreException", "java.lang.RuntimeException"),
    ("java.lang.ClassCastException", "java.lang.RuntimeException"),
    ("java.lang.IllegalArgumentException", "java.lang.RuntimeException"),
    ("java.lang.NumberFormatException", "java.lang.IllegalArgumentException"),
    ("java.lang.IllegalThreadStateException", "java.lang.IllegalArgumentException"),
    ("java.lang.IllegalMonitorStateException", "java.lang.RuntimeException"),
    ("java.lang.IllegalStateException", "java.lang.RuntimeException"),
    ("java.lang.IndexOutOfBoundsException", "java.lang.RuntimeException"),
    ("java.lang.ArrayIndexOutOfBoundsException", "java.lang.IndexOutOfBoundsException"),
    ("java.lang.StringIndexOutOfBoundsException", "java.lang.IndexOutOfBoundsException"),
    ("java.lang.NegativeArraySizeException", "java.lang.RuntimeException"),
    ("java.lang.NullPointerException", "java.lang.RuntimeException"),
    ("java.lang.SecurityException", "java.lang.RuntimeException"),
    ("java.lang.UnsupportedOperationException", "java.lang.RuntimeException"),
    ("java.lang.EnumConstantNotPresentException", "java.lang.RuntimeException"),
    ("java.lang.TypeNotPresentException", "java.lang.RuntimeException"),
    ("java.lang.CloneNotSupportedException", "java.lang.Exception"),
    ("java.lang.InterruptedException", "java.lang.Exception"),
    ("java.lang.ReflectiveOperationException", "java.lang.Exception"),
    ("java.lang.ClassNotFoundException", "java.lang.ReflectiveOperationException"),
    ("java.lang.InstantiationException", "java.lang.ReflectiveOperationException"),
    ("java.lang.IllegalAccessException", "java.lang.ReflectiveOperationException"),
    ("java.lang.NoSuchMethodException", "java.lang.ReflectiveOperationException"),
    ("java.lang.NoSuchFieldException", "java.lang.ReflectiveOperationException"),
    ("java.lang.reflect.InvocationTargetException", "java.lang.ReflectiveOperationException"),
    ("java.io.IOException", "java.lang.Exception"),
    ("java.io.EOFException", "java.io.IOException"),
    ("java.io.FileNotFoundException", "java.io.IOException"),
    ("java.io.UnsupportedEncodingException", "java.io.IOException"),
    ("java.io.ObjectStreamException", "java.io.IOException"),
    ("java.io.InvalidObjectException", "java.io.ObjectStreamException"),
    ("java.io.NotSerializableException", "java.io.ObjectStreamException"),
    ("java.io.UncheckedIOException", "java.lang.RuntimeException"),
    ("java.net.MalformedURLException", "java.io.IOException"),
    ("java.net.URISyntaxException", "java.lang.Exception"),
    ("java.nio.BufferOverflowException", "java.lang.RuntimeException"),
    ("java.nio.BufferUnderflowException", "java.lang.RuntimeException"),
    ("java.nio.ReadOnlyBufferException", "java.lang.UnsupportedOperationException"),
    ("java.nio.charset.IllegalCharsetNameException", "java.lang.IllegalArgumentException"),
    ("java.nio.charset.UnsupportedCharsetException", "java.lang.IllegalArgumentException"),
    ("java.nio.file.InvalidPathException", "java.lang.IllegalArgumentException"),
    ("java.text.ParseException", "java.lang.Exception"),
    ("java.time.DateTimeException", "java.lang.RuntimeException"),
    ("java.time.format.DateTimeParseException", "java.time.DateTimeException"),
    ("java.time.temporal.UnsupportedTemporalTypeException", "java.time.DateTimeException"),
    ("java.time.zone.ZoneRulesException", "java.time.DateTimeException"),
    ("java.util.ConcurrentModificationException", "java.lang.RuntimeException"),
    ("java.util.EmptyStackException", "java.lang.RuntimeException"),
    ("java.util.MissingResourceException", "java.lang.RuntimeException"),
    ("java.util.NoSuchElementException", "java.lang.RuntimeException"),
    ("java.util.InputMismatchException", "java.util.NoSuchElementException"),
    ("java.util.TooManyListenersException", "java.lang.Exception"),
    ("java.util.IllegalFormatException", "java.lang.IllegalArgumentException"),
    ("java.util.MissingFormatArgumentException", "java.util.IllegalFormatException"),
    ("java.util.UnknownFormatConversionException", "java.util.IllegalFormatException"),
    ("java.util.concurrent.CancellationException", "java.lang.IllegalStateException"),
    ("java.util.concurrent.CompletionException", "java.lang.RuntimeException"),
    ("java.util.concurrent.RejectedExecutionException", "java.lang.RuntimeException"),
    ("java.util.concurrent.ExecutionException", "java.lang.Exception"),
    ("java.util.concurrent.TimeoutException", "java.lang.Exception"),
    ("java.util.regex.PatternSyntaxException", "java.lang.IllegalArgumentException"),
];

/// So general that to document one of them promises none of its subclasses.
const GENERAL: [&str; 4] =
    ["java.lang.Throwable", "java.lang.Exception", "java.lang.RuntimeException", "java.lang.Error"];

/// What the name of an exception's class says about it.
#[derive(Clone, Copy)]
pub(super) struct Exceptions<'a> {
    scene: &'a Scene<'a>,
}

impl<'a> Exceptions<'a> {
    pub(super) fn of(scene: &'a Scene<'a>) -> Self {
        Self { scene }
    }

    /// The class and all its superclasses, as far as they are known.
    fn lineage(self, type_name: &str) -> Vec<String> {
        let mut lineage = vec![type_name.to_owned()];
        if let Some(known) = self.scene.type_info(type_name) {
            lineage.extend(known.supertypes.iter().cloned());
        }
        let mut next = 0;
        while let Some(name) = lineage.get(next) {
            let above = SUPERCLASSES.iter().find(|(class, _)| class == name).map(|(_, above)| *above);
            if let Some(above) = above
                && !lineage.iter().any(|known| known == above)
            {
                lineage.push(above.to_owned());
            }
            next += 1;
        }
        lineage
    }

    pub(super) fn is_a(self, type_name: &str, ancestor: &str) -> bool {
        self.lineage(type_name).iter().any(|name| name == ancestor)
    }

    /// An `Error` that speaks of the machine, not of the program: `AssertionError` is none.
    pub(super) fn is_error(self, type_name: &str) -> bool {
        self.is_a(type_name, "java.lang.Error") && !self.is_a(type_name, "java.lang.AssertionError")
    }

    /// Classes that do not fit together, as they can be when one was not compiled anew. A failed initializer is
    /// another matter: that is code of the program.
    pub(super) fn is_linkage(self, type_name: &str) -> bool {
        self.is_a(type_name, "java.lang.LinkageError")
            && !self.is_a(type_name, "java.lang.ExceptionInInitializerError")
    }

    /// The entry by which an exception is part of what a callable promises, if any.
    pub(super) fn promise<'b>(
        self,
        callable: &'b Callable,
        facts: Option<&'b CallableFacts>,
        thrown: &str,
    ) -> Option<&'b str> {
        let documented = facts.into_iter().flat_map(|facts| facts.exceptions.iter().chain(&facts.expected));
        let unchecked =
            self.is_a(thrown, "java.lang.RuntimeException") || self.is_a(thrown, "java.lang.Error");
        let declared = callable.throws.iter().filter(|_| !unchecked);
        // A checked exception can only leave through the declaration, however general that is.
        let may_leave = |entry: &&String| self.lineage(thrown).iter().any(|name| named(name, entry));
        let exact = documented.clone().find(|entry| named(thrown, entry));
        let general = documented.clone().find(|entry| self.covers(entry, thrown));
        exact.or(general).or_else(|| declared.clone().find(may_leave)).map(String::as_str)
    }

    /// Is it by a test alone that an exception is part of what a callable promises?
    pub(super) fn is_promised_by_tests_only(
        self,
        callable: &Callable,
        facts: Option<&CallableFacts>,
        thrown: &str,
    ) -> bool {
        let documented = facts.map(|facts| CallableFacts { expected: Vec::new(), ..facts.clone() });
        self.promise(callable, documented.as_ref(), thrown).is_none()
            && self.promise(callable, facts, thrown).is_some()
    }

    /// Does an entry of the documentation speak of this exception?
    pub(super) fn covers(self, entry: &str, thrown: &str) -> bool {
        if GENERAL.iter().any(|general| named(general, entry)) {
            return named(thrown, entry);
        }
        self.lineage(thrown).iter().any(|name| named(name, entry))
    }
}

/// Is this the class that documentation calls so, by its simple, its qualified or its binary name?
fn named(binary: &str, written: &str) -> bool {
    if binary == written {
        return true;
    }
    let dotted = binary.replace('$', ".");
    if written.contains('.') {
        return dotted == written || dotted.ends_with(&format!(".{written}"));
    }
    dotted.rsplit('.').next() == Some(written)
}
