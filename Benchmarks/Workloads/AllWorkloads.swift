/// All workloads, in the order in which they run.
let allWorkloads: [Workload<Bench>] =
    insertWorkloads + commitWorkloads + lookupWorkloads + filterWorkloads + sortWorkloads
    + scanWorkloads + updateWorkloads + openWorkloads + streamWorkloads + mixedWorkloads
    + flightWorkloads + [
        .unsupported("w15_growth", "needs checkpoints and compaction"),
        .unsupported("w17_commit_p99_during_checkpoint", "needs checkpoints"),
        .unsupported("w18_scan_4x_budget", "needs the memory budget"),
    ]
