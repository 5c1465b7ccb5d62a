package bonafix.runtime.arena;

import bonafix.runtime.PayloadReader;
import bonafix.runtime.PayloadWriter;
import java.io.IOException;
import java.util.List;

/** One row of the catalog: what can be called, and how it is found again in another version. */
final class CallableSpec {
    // As {@code CallableKind} in the driver.
    static final int CONSTRUCTOR = 0;
    static final int METHOD = 1;
    static final int STATIC_METHOD = 2;
    static final int FIELD_GET = 3;
    static final int FIELD_SET = 4;
    static final int STATIC_GET = 5;
    static final int STATIC_SET = 6;

    static final int PUBLIC = 0;
    static final int PROTECTED = 1;
    static final int PACKAGE = 2;

    int kind;
    String owner;
    String name;
    String descriptor;
    List<String> parameters;
    String result;
    boolean varargs;
    int visibility;
    List<String> exceptions;

    void put(PayloadWriter out) {
        out.u8(kind).string(owner).string(name).string(descriptor).strings(parameters).string(result);
        out.flag(varargs).u8(visibility).strings(exceptions);
    }

    /** What it takes to find it: the rest is known to who asks. */
    static CallableSpec read(PayloadReader in) throws IOException {
        CallableSpec spec = new CallableSpec();
        spec.kind = in.u8();
        spec.owner = in.string();
        spec.name = in.string();
        spec.descriptor = in.string();
        return spec;
    }

    String key() {
        return kind + owner + '#' + name + descriptor;
    }
}
