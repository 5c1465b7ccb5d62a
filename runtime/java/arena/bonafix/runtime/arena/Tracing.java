package bonafix.runtime.arena;

import bonafix.runtime.LineTrace;
import bonafix.runtime.TraceFile;
import java.io.IOException;

/** One run after the other on its way into a file of traces. The last one is written by whoever ends the VM. */
final class Tracing {
    private final TraceFile file;
    private String run = "";
    private boolean open;

    Tracing(TraceFile file) {
        this.file = file;
    }

    synchronized void begin(int sequence, int round) {
        run = sequence + "/" + round + "/";
        open = true;
    }

    /** The calling thread is the one whose calls are traced. */
    void beginHere() {
        LineTrace.begin();
        LineTrace.rest();
    }

    /** Once for each run: what comes second is too late. */
    synchronized void write(int breakdown) {
        if (!open) {
            return;
        }
        open = false;
        LineTrace.end();
        try {
            file.write(run + breakdown, true);
        } catch (IOException full) {
            // What has no record has no trace.
        }
    }
}
