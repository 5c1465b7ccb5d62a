package bonafix.runtime;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the driver asks of {@link TestRunner}: list tests, or run some of them. */
final class TestRequest {
    final String nonce;
    final int mode;
    final GroupFilter groups;
    /** Limit of one test in milliseconds; 0 is none. */
    final long testLimit;
    /** Limit of what runs outside tests: listing a class, its set-up and tear-down; 0 is none. */
    final long classLimit;
    final int outputCap;
    private final Map<String, Long> limitOverrides = new HashMap<>();
    final List<String> classDirectories;
    final List<Item> items = new ArrayList<>();

    /** One class of the request, with the tests wanted from it; none means all. */
    static final class Item {
        final String engine;
        final String className;
        final List<String> ids;

        Item(String engine, String className, List<String> ids) {
            this.engine = engine;
            this.className = className;
            this.ids = ids;
        }
    }

    TestRequest(PayloadReader in) throws IOException {
        int version = in.u32();
        if (version != Protocol.VERSION) {
            throw new IOException("the request speaks protocol " + version + ", this runner " + Protocol.VERSION);
        }
        nonce = in.string();
        mode = in.u8();
        if (mode != Protocol.MODE_DISCOVER && mode != Protocol.MODE_RUN) {
            throw new IOException("unknown mode " + mode);
        }
        groups = new GroupFilter(in.strings(), in.strings());
        testLimit = in.u64();
        classLimit = in.u64();
        outputCap = in.u32();
        readOverrides(in);
        classDirectories = in.strings();
        readItems(in);
    }

    long limitOf(String id) {
        Long override = limitOverrides.get(id);
        return override == null ? testLimit : override;
    }

    private void readOverrides(PayloadReader in) throws IOException {
        int count = in.count();
        for (int i = 0; i < count; i++) {
            limitOverrides.put(in.string(), in.u64());
        }
    }

    private void readItems(PayloadReader in) throws IOException {
        int count = in.count();
        for (int i = 0; i < count; i++) {
            items.add(new Item(in.string(), in.string(), in.strings()));
        }
    }
}
