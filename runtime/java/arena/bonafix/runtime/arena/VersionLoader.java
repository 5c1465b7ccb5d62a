package bonafix.runtime.arena;

import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;

/**
 * Loads the classes of one version: its own first, then what all versions share.
 *
 * <p>Of our own classes it shows the subject one only, which instrumented code calls.
 */
final class VersionLoader extends URLClassLoader {
    private static final String PROBES = "bonafix.runtime.Probes";

    private final VersionFiles files;
    private final ProtectionDomain domain;

    VersionLoader(VersionFiles files, ClassLoader shared) {
        super(files.urls, shared);
        this.files = files;
        URL from = files.urls.length == 0 ? null : files.urls[0];
        domain = new ProtectionDomain(new CodeSource(from, (Certificate[]) null), null, this, null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                loaded = load(name);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    private Class<?> load(String name) throws ClassNotFoundException {
        if (name.equals(PROBES)) {
            return VersionLoader.class.getClassLoader().loadClass(name);
        }
        byte[] bytes = name.startsWith("java.") ? null : files.classFile(name);
        if (bytes == null) {
            return getParent().loadClass(name);
        }
        definePackageOf(name);
        return defineClass(name, bytes, 0, bytes.length, domain);
    }

    /** A class of our own beside those of the version, whose packages and members it shares. */
    Class<?> define(String name, byte[] bytes) {
        synchronized (getClassLoadingLock(name)) {
            return defineClass(name, bytes, 0, bytes.length, domain);
        }
    }

    @SuppressWarnings("deprecation")
    private void definePackageOf(String className) {
        int dot = className.lastIndexOf('.');
        if (dot > 0 && getPackage(className.substring(0, dot)) == null) {
            try {
                definePackage(className.substring(0, dot), null, null, null, null, null, null, null);
            } catch (IllegalArgumentException alreadyThere) {
                // Another thread was quicker.
            }
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }
}
