/// All workloads, in the order in which they run.
let peerWorkloads: [Workload<PeerBench>] =
    peerInsertWorkloads + peerCommitWorkloads + peerReadWorkloads + peerQueryWorkloads
    + peerUpdateWorkloads + peerOpenWorkloads + peerStreamWorkloads + peerMixedWorkloads
    + peerFullTextWorkloads + peerCompositeWorkloads + peerGeoWorkloads
