package bonafix.runtime.arena;

import bonafix.runtime.PayloadReader;
import java.io.IOException;
import java.util.List;

/** A request to run sequences, or to confirm one. */
final class Batch {
    final boolean wantsAll;
    final int depth;
    final int limitMillis;
    final long limitSteps;
    /** Sequences between two resets of static state, or how often to repeat one. */
    final int every;
    final int[] versions;
    final Step[][] sequences;

    private Batch(boolean wantsAll, int depth, int limitMillis, long limitSteps, int every, int[] versions,
            Step[][] sequences) {
        this.wantsAll = wantsAll;
        this.depth = depth;
        this.limitMillis = limitMillis;
        this.limitSteps = limitSteps;
        this.every = every;
        this.versions = versions;
        this.sequences = sequences;
    }

    static Batch read(PayloadReader in, int callables, int versionCount) throws IOException {
        boolean wantsAll = in.u8() != 0;
        int depth = Math.max(0, Math.min(16, in.u32()));
        int limitMillis = in.u32();
        long limitSteps = in.u64();
        int every = Math.max(1, in.u32());
        int[] versions = new int[in.count()];
        for (int i = 0; i < versions.length; i++) {
            versions[i] = in.u32();
            if (versions[i] < 0 || versions[i] >= versionCount) {
                throw new IOException("there is no version " + versions[i]);
            }
        }
        List<String> names = in.strings();
        String[] table = names.toArray(new String[0]);
        Step[][] sequences = new Step[in.count()][];
        for (int i = 0; i < sequences.length; i++) {
            sequences[i] = Step.readSequence(in, table, callables);
        }
        return new Batch(wantsAll, depth, limitMillis, limitSteps, every, versions, sequences);
    }
}
