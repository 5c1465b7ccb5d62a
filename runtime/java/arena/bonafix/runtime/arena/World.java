package bonafix.runtime.arena;

import java.io.Closeable;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One version with fresh static state: its loader, and what was linked in it so far. */
final class World implements Closeable {
    final VersionLoader loader;
    private final VersionFiles files;
    private final List<CallableSpec> catalog;
    private final Linked[] linked;
    private final boolean[] looked;
    private final Map<String, Class<?>> types = new HashMap<>();
    final Map<Class<?>, Shape> shapes = new HashMap<>();
    final IdentityHashes hashes;
    private final Map<Class<?>, Statics> statics = new HashMap<>();
    private final Map<Class<?>, StubClass> stubClasses = new HashMap<>();

    World(VersionFiles files, ClassLoader shared, List<CallableSpec> catalog, IdentityHashes hashes) {
        this.files = files;
        this.hashes = hashes;
        this.catalog = catalog;
        loader = new VersionLoader(files, shared);
        linked = new Linked[catalog.size()];
        looked = new boolean[catalog.size()];
    }

    /** What all versions see: the JDK and the libraries, without the arena. */
    static URLClassLoader sharedLoader(URL[] libraries) {
        return new URLClassLoader(libraries, ClassLoader.getSystemClassLoader().getParent());
    }

    /** {@code null} if this version has it not. */
    Linked linked(int callable) {
        if (!looked[callable]) {
            looked[callable] = true;
            linked[callable] = Linked.link(catalog.get(callable), this);
        }
        return linked[callable];
    }

    /** A class by its name as written in Java, arrays and primitives included, type arguments left out. */
    Class<?> load(String name) throws ClassNotFoundException {
        Class<?> known = types.get(name);
        if (known == null) {
            known = TypeNames.load(name, loader);
            types.put(name, known);
        }
        return known;
    }

    /** Of a class of the subject; those of libraries are no part of it. */
    Statics statics(Class<?> owner, Names names) {
        if (!isSubject(owner)) {
            return Statics.NONE;
        }
        Statics known = statics.get(owner);
        if (known == null) {
            known = Statics.of(owner, names);
            statics.put(owner, known);
        }
        return known;
    }

    /** Of an abstract class; made when it is first asked for. */
    StubClass stubClass(Class<?> type) throws ReflectiveOperationException {
        StubClass known = stubClasses.get(type);
        if (known == null) {
            known = StubClass.below(type, loader);
            stubClasses.put(type, known);
        }
        return known;
    }

    boolean isSubject(Class<?> type) {
        return type.getClassLoader() == loader;
    }

    boolean isSubject(String className) {
        return files.has(className);
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
