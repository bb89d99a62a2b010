/// All workloads, in the order in which they run.
let allWorkloads: [Workload<Bench>] =
    insertWorkloads + commitWorkloads + lookupWorkloads + filterWorkloads + sortWorkloads
    + scanWorkloads + updateWorkloads + openWorkloads + streamWorkloads + mixedWorkloads
    + flightWorkloads + spaceWorkloads + [
        .unsupported("w17_commit_p99_during_checkpoint", "needs checkpoints"),
        .unsupported("w18_scan_4x_budget", "needs the memory budget"),
    ]
