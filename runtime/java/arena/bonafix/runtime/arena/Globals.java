package bonafix.runtime.arena;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.security.Provider;
import java.security.Security;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What belongs to the whole VM and a subject can change: as it was at first, and back to that. */
final class Globals {
    /** Security properties that programs change, as far as they can be asked for by name. */
    private static final String[] SECURITY_KEYS = {
        "networkaddress.cache.ttl", "networkaddress.cache.negative.ttl", "securerandom.source", "keystore.type",
        "jdk.tls.disabledAlgorithms", "jdk.certpath.disabledAlgorithms", "crypto.policy", "policy.provider",
        "login.configuration.provider", "ssl.KeyManagerFactory.algorithm", "ssl.TrustManagerFactory.algorithm",
    };

    private final PrintStream out = new Silence();
    private final PrintStream err = new Silence();
    private final InputStream in = new NoInput();
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final Properties original = new Properties();
    private final String[] security = new String[SECURITY_KEYS.length];
    private final Provider[] providers = Security.getProviders();
    private Watched properties;

    Globals() {
        copy(System.getProperties(), original);
        // The first use of the default zone stores it among the properties; let that be no change.
        original.setProperty("user.timezone", zone.getID());
        for (int i = 0; i < security.length; i++) {
            security[i] = Security.getProperty(SECURITY_KEYS[i]);
        }
        install();
    }

    private void install() {
        System.setOut(out);
        System.setErr(err);
        System.setIn(in);
        properties = new Watched(original);
        System.setProperties(properties);
    }

    /** After each run of a sequence in a version: what is cheap to look at. */
    void restore(Thread runner, ClassLoader next) {
        if (System.out != out || System.err != err || System.in != in || System.getProperties() != properties
                || properties.changed) {
            install();
        }
        if (Locale.getDefault() != locale || Locale.getDefault(Locale.Category.DISPLAY) != display
                || Locale.getDefault(Locale.Category.FORMAT) != format) {
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
        }
        if (!TimeZone.getDefault().equals(zone)) {
            TimeZone.setDefault(zone);
            install();
        }
        if (Thread.getDefaultUncaughtExceptionHandler() != null) {
            Thread.setDefaultUncaughtExceptionHandler(null);
        }
        Thread.interrupted();
        if (runner.getPriority() != Thread.NORM_PRIORITY) {
            runner.setPriority(Thread.NORM_PRIORITY);
        }
        if (runner.getContextClassLoader() != next) {
            runner.setContextClassLoader(next);
        }
    }

    /** Now and then: what costs more to look at. */
    void restoreSecurity() {
        for (int i = 0; i < security.length; i++) {
            String now = Security.getProperty(SECURITY_KEYS[i]);
            if (security[i] != null && !security[i].equals(now)) {
                Security.setProperty(SECURITY_KEYS[i], security[i]);
            }
        }
        Provider[] now = Security.getProviders();
        if (!java.util.Arrays.equals(now, providers)) {
            for (Provider provider : now) {
                Security.removeProvider(provider.getName());
            }
            for (Provider provider : providers) {
                Security.addProvider(provider);
            }
        }
    }

    private static void copy(Properties from, Properties to) {
        for (String name : from.stringPropertyNames()) {
            to.setProperty(name, from.getProperty(name));
        }
    }

    /** Swallows all that is printed, and cannot be closed. */
    private static final class Silence extends PrintStream {
        Silence() {
            super(new OutputStream() {
                @Override
                public void write(int value) {
                    // Nobody reads what a subject prints while sequences run.
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    // As above.
                }
            });
        }

        @Override
        public void close() {
            // Stays open for the next sequence.
        }
    }

    private static final class NoInput extends InputStream {
        @Override
        public int read() {
            return -1;
        }
    }

    /** Knows whether it was changed, so that it need not be compared after each run. */
    private static final class Watched extends Properties {
        private static final long serialVersionUID = 1;
        private boolean changed;

        Watched(Properties from) {
            copy(from, this);
            changed = false;
        }

        @Override
        public synchronized Object put(Object key, Object value) {
            changed = true;
            return super.put(key, value);
        }

        @Override
        public synchronized Object remove(Object key) {
            changed = true;
            return super.remove(key);
        }

        @Override
        public synchronized boolean remove(Object key, Object value) {
            changed = true;
            return super.remove(key, value);
        }

        @Override
        public synchronized void clear() {
            changed = true;
            super.clear();
        }

        @Override
        public synchronized void putAll(Map<?, ?> all) {
            changed = true;
            super.putAll(all);
        }

        @Override
        public synchronized Object putIfAbsent(Object key, Object value) {
            changed = true;
            return super.putIfAbsent(key, value);
        }

        @Override
        public synchronized Object replace(Object key, Object value) {
            changed = true;
            return super.replace(key, value);
        }

        @Override
        public synchronized boolean replace(Object key, Object old, Object value) {
            changed = true;
            return super.replace(key, old, value);
        }

        @Override
        public synchronized void replaceAll(BiFunction<? super Object, ? super Object, ?> function) {
            changed = true;
            super.replaceAll(function);
        }

        @Override
        public synchronized Object computeIfAbsent(Object key, Function<? super Object, ?> function) {
            changed = true;
            return super.computeIfAbsent(key, function);
        }

        @Override
        public synchronized Object computeIfPresent(Object key, BiFunction<? super Object, ? super Object, ?> function) {
            changed = true;
            return super.computeIfPresent(key, function);
        }

        @Override
        public synchronized Object compute(Object key, BiFunction<? super Object, ? super Object, ?> function) {
            changed = true;
            return super.compute(key, function);
        }

        @Override
        public synchronized Object merge(Object key, Object value,
                BiFunction<? super Object, ? super Object, ?> function) {
            changed = true;
            return super.merge(key, value, function);
        }

        @Override
        public java.util.Set<Object> keySet() {
            changed = true;
            return super.keySet();
        }

        @Override
        public java.util.Set<Map.Entry<Object, Object>> entrySet() {
            changed = true;
            return super.entrySet();
        }

        @Override
        public java.util.Collection<Object> values() {
            changed = true;
            return super.values();
        }

        /** {@code load} does not go through {@code put} on all JDKs; reading from a stream is rare. */
        @Override
        public synchronized void load(java.io.Reader reader) throws java.io.IOException {
            changed = true;
            super.load(reader);
        }

        @Override
        public synchronized void load(InputStream stream) throws java.io.IOException {
            changed = true;
            super.load(stream);
        }
    }
}
