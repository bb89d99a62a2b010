import Foundation

/// Runs test campaigns: see Documentation/Reliability.md.
///
///     campaigns --short                      the short form of every campaign
///     campaigns C2 --count 200000 --seed 1   that many cases, from this seed on
///     campaigns C2 --minutes 30              as many cases as fit into this time
@main
enum Campaigns {
    static let all = [
        Campaign.crashPoints, .powerLoss, .diskFailures, .kills, .damage, .models,
        .concurrency, .versions, .compound, .fullDisks, .encryption,
        .notifications, .sharing, .losses, .syncRaces, .handover, .realmFiles, .hosts,
        .queries, .servers,
    ]

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let role = ChildRole(arguments) { return await role.run() }
        guard let command = CampaignCommand(arguments) else {
            say(CampaignCommand.usage)
            exit(2)
        }
        var isGood = true
        for campaign in command.campaigns {
            do {
                let hasPassed = try await CampaignRunner(campaign, command.options).run()
                isGood = isGood && hasPassed
            } catch {
                say("\(campaign.id) could not begin: \(error)")
                isGood = false
            }
        }
        exit(isGood ? 0 : 1)
    }
}

/// Prints a line without buffering: progress is shown at once, and a child may be killed.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
