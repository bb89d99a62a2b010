/// All workloads, in the order in which they run.
let allWorkloads: [Workload<Bench>] =
    insertWorkloads + importWorkloads + commitWorkloads + lookupWorkloads + filterWorkloads
    + sortWorkloads + scanWorkloads + updateWorkloads + openWorkloads + streamWorkloads
    + mixedWorkloads + flightWorkloads + spaceWorkloads + checkpointWorkloads + budgetWorkloads
    + historyWorkloads + encryptedWorkloads + processWorkloads
    + realmFileWorkloads + fullTextWorkloads + foldedTextWorkloads + compositeWorkloads
    + groupWorkloads + geoWorkloads
