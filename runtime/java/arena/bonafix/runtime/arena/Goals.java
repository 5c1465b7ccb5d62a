package bonafix.runtime.arena;

import bonafix.runtime.PayloadReader;
import bonafix.runtime.Probes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What sequences should bring about, and how near they have come to it.
 *
 * <p>A goal is a conjunction of atoms, each the outcome of a branch; its distance is the sum of theirs. A goal with a
 * block in it is there when the block is run, and else one further away than its other atoms. Only goals that have a
 * branch in common with what a sequence did are looked at.
 */
final class Goals {
    private static final int ATOM_TAKEN = 1;
    private static final int ATOM_MISSED = 2;
    private static final int ATOM_BLOCK = 3;
    private static final int ATOM_CASE = 4;
    private static final int ATOM_DEFAULT = 5;
    /** Taken at one branch where it is missed at another. */
    private static final int ATOM_PARTED = 6;
    private static final int[] NONE = {};

    private static final class Atom {
        int kind;
        int id;
        /** Of a switch: which of its keys. Of two branches that should part: the one that should miss. */
        int index;
    }

    private final int[] reachBlocks;
    private final Atom[][] goals;
    private final double[] best;
    private final int[][] goalsOfBranch;
    private final int[] goalsWithBlock;
    /** Blocks that anybody looks at. */
    private final int[] blocks;
    /** The number of the sequence for which a goal was last looked at. */
    private final long[] looked;
    private long sequence;

    private final int[] improved;
    private int improvedCount;
    private boolean reached;

    private Goals(int[] reachBlocks, Atom[][] goals, int branches) {
        this.reachBlocks = reachBlocks;
        this.goals = goals;
        best = new double[goals.length];
        Arrays.fill(best, Double.POSITIVE_INFINITY);
        looked = new long[goals.length];
        improved = new int[goals.length];
        goalsOfBranch = new int[branches][];
        Arrays.fill(goalsOfBranch, NONE);
        List<Integer> withBlock = new ArrayList<>();
        TreeSet<Integer> all = new TreeSet<>();
        for (int block : reachBlocks) {
            all.add(block);
        }
        for (int goal = 0; goal < goals.length; goal++) {
            boolean hasBlock = false;
            for (Atom atom : goals[goal]) {
                if (atom.kind == ATOM_BLOCK) {
                    hasBlock = true;
                    all.add(atom.id);
                } else {
                    goalsOfBranch[atom.id] = append(goalsOfBranch[atom.id], goal);
                    if (atom.kind == ATOM_PARTED) {
                        goalsOfBranch[atom.index] = append(goalsOfBranch[atom.index], goal);
                    }
                }
            }
            if (hasBlock) {
                withBlock.add(goal);
            }
        }
        goalsWithBlock = numbers(withBlock);
        blocks = numbers(all);
    }

    private static int[] numbers(Collection<Integer> from) {
        int[] numbers = new int[from.size()];
        int next = 0;
        for (int number : from) {
            numbers[next++] = number;
        }
        return numbers;
    }

    private static int[] append(int[] numbers, int number) {
        int[] longer = Arrays.copyOf(numbers, numbers.length + 1);
        longer[numbers.length] = number;
        return longer;
    }

    /** Reads the goals and makes room for what they need. */
    static Goals read(PayloadReader in) throws IOException {
        int blocks = in.u32();
        int branches = in.u32();
        if (blocks < 0 || branches < 0 || blocks > 1 << 24 || branches > 1 << 24) {
            throw new IOException("too many probes");
        }
        int[] reach = new int[in.count()];
        for (int i = 0; i < reach.length; i++) {
            reach[i] = checked(in.u32(), blocks);
        }
        Atom[][] goals = new Atom[in.count()][];
        Map<Integer, TreeSet<Integer>> keys = new HashMap<>();
        for (int i = 0; i < goals.length; i++) {
            goals[i] = new Atom[in.count()];
            for (int j = 0; j < goals[i].length; j++) {
                goals[i][j] = atom(in, blocks, branches, keys);
            }
        }
        Probes.prepare(blocks, branches);
        watchSwitches(goals, keys);
        watchDecisions(goals);
        return new Goals(reach, goals, branches);
    }

    private static Atom atom(PayloadReader in, int blocks, int branches, Map<Integer, TreeSet<Integer>> keys)
            throws IOException {
        Atom atom = new Atom();
        atom.kind = in.u8();
        if (atom.kind < ATOM_TAKEN || atom.kind > ATOM_PARTED) {
            throw new IOException("there is no atom of kind " + atom.kind);
        }
        atom.id = checked(in.u32(), atom.kind == ATOM_BLOCK ? blocks : branches);
        if (atom.kind == ATOM_CASE) {
            atom.index = in.u32();
            keys.computeIfAbsent(atom.id, id -> new TreeSet<>()).add(atom.index);
        } else if (atom.kind == ATOM_DEFAULT) {
            keys.computeIfAbsent(atom.id, id -> new TreeSet<>());
        } else if (atom.kind == ATOM_PARTED) {
            atom.index = checked(in.u32(), branches);
        }
        return atom;
    }

    private static int checked(int id, int count) throws IOException {
        if (id < 0 || id >= count) {
            throw new IOException("there is no probe " + id);
        }
        return id;
    }

    /** Tells the probes which keys matter, and the atoms where to find theirs. */
    private static void watchSwitches(Atom[][] goals, Map<Integer, TreeSet<Integer>> keys) {
        Map<Integer, int[]> sorted = new HashMap<>();
        for (Map.Entry<Integer, TreeSet<Integer>> entry : keys.entrySet()) {
            int[] wanted = numbers(entry.getValue());
            sorted.put(entry.getKey(), wanted);
            Probes.watchSwitch(entry.getKey(), wanted);
        }
        for (Atom[] goal : goals) {
            for (Atom atom : goal) {
                if (atom.kind == ATOM_CASE) {
                    atom.index = Arrays.binarySearch(sorted.get(atom.id), atom.index);
                } else if (atom.kind == ATOM_DEFAULT) {
                    atom.index = sorted.get(atom.id).length;
                }
            }
        }
    }

    private static void watchDecisions(Atom[][] goals) {
        for (Atom[] goal : goals) {
            for (Atom atom : goal) {
                if (atom.kind == ATOM_PARTED) {
                    Probes.watchDecisions(atom.id);
                    Probes.watchDecisions(atom.index);
                }
            }
        }
    }

    void begin() {
        Probes.beginRun();
        clearHits();
        reached = false;
        improvedCount = 0;
        sequence++;
    }

    private void clearHits() {
        byte[] hits = Probes.HITS;
        for (int block : blocks) {
            hits[block] = 0;
        }
    }

    /** Looks at what the sequence did, in all versions in which it ran. */
    void end() {
        byte[] hits = Probes.HITS;
        for (int block : reachBlocks) {
            reached |= hits[block] != 0;
        }
        for (int i = Probes.touchedCount() - 1; i >= 0; i--) {
            for (int goal : goalsOfBranch[Probes.touched(i)]) {
                look(goal);
            }
        }
        if (reached) {
            for (int goal : goalsWithBlock) {
                look(goal);
            }
        }
    }

    private void look(int goal) {
        if (looked[goal] == sequence || best[goal] == 0) {
            return;
        }
        looked[goal] = sequence;
        double distance = distance(goals[goal]);
        if (distance < best[goal]) {
            best[goal] = distance;
            improved[improvedCount++] = goal;
        }
    }

    private static double distance(Atom[] atoms) {
        double sum = 0;
        for (Atom atom : atoms) {
            switch (atom.kind) {
                case ATOM_TAKEN:
                    sum += Probes.toTaken(atom.id);
                    break;
                case ATOM_MISSED:
                    sum += Probes.toMissed(atom.id);
                    break;
                case ATOM_BLOCK:
                    if (Probes.HITS[atom.id] != 0) {
                        return 0;
                    }
                    sum += 1;
                    break;
                case ATOM_PARTED:
                    sum += Probes.toParted(atom.id, atom.index);
                    break;
                default:
                    sum += Probes.toCase(atom.id, atom.index);
            }
        }
        return sum;
    }

    void put(ByteSink out) {
        out.u8((reached ? 1 : 0) | (improvedCount > 0 ? 2 : 0) | (Probes.comparedNaN() ? 4 : 0));
        if (improvedCount > 0) {
            Arrays.sort(improved, 0, improvedCount);
            out.number(improvedCount);
            for (int i = 0; i < improvedCount; i++) {
                out.number(improved[i]);
                out.u64(Double.doubleToRawLongBits(best[improved[i]]));
            }
        }
    }
}
