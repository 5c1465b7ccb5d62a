package bonafix.runtime.arena;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.function.IntFunction;

/** The class below an abstract class of the subject whose objects are stubs. It lies in the same package. */
final class StubClass {
    private static final String SUFFIX = "$$Stub";

    private final Constructor<?> constructor;
    private final Class<?>[] results;

    private StubClass(Constructor<?> constructor, Class<?>[] results) {
        this.constructor = constructor;
        this.results = results;
    }

    /** Of an abstract class of the version that the loader loads. */
    static StubClass below(Class<?> type, VersionLoader loader) throws ReflectiveOperationException {
        Subclassing subclassing = type.getClassLoader() == loader ? Subclassing.of(type) : null;
        if (subclassing == null) {
            throw new IllegalArgumentException("no stub can stand for " + type.getName());
        }
        String name = type.getName() + SUFFIX;
        Class<?> made = loader.define(name, SubclassWriter.write(name, subclassing));
        Constructor<?> constructor = made.getDeclaredConstructor(IntFunction.class);
        constructor.setAccessible(true);
        Class<?>[] results = new Class<?>[subclassing.methods.size()];
        for (int i = 0; i < results.length; i++) {
            results[i] = subclassing.resultType(subclassing.methods.get(i));
        }
        return new StubClass(constructor, results);
    }

    Object make(Stub stub) throws InvocationTargetException {
        IntFunction<Object> answers = method -> stub.answer(results[method]);
        try {
            return constructor.newInstance(answers);
        } catch (InstantiationException | IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static boolean isOne(Class<?> type) {
        return type.isSynthetic() && type.getName().endsWith(SUFFIX);
    }

    /** The class that it is below, where it is such a class; else the name itself. */
    static String withoutSuffix(String name) {
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }
}
