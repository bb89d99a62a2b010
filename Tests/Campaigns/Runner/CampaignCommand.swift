/// The command line.
struct CampaignCommand {
    var campaigns: [Campaign] = []
    var options = CampaignOptions()

    static var usage: String {
        let list = Campaigns.all.map { "    \($0.id)  \($0.title)" }.joined(separator: "\n")
        return """
            campaigns --short | ID... [--count N] [--seed N] [--minutes N] [--images N]
                [--workers N] [--verbose]
            \(list)
            """
    }

    /// Nil for invalid arguments.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if let campaign = Campaigns.all.first(where: { $0.id == argument }) {
                campaigns.append(campaign)
                continue
            }
            switch argument {
            case "--short": campaigns = Campaigns.all
            case "--verbose": options.isVerbose = true
            default:
                guard let text = rest.popFirst(), set(argument, text) else { return nil }
            }
        }
        if campaigns.isEmpty { return nil }
    }

    private mutating func set(_ name: String, _ text: String) -> Bool {
        switch name {
        case "--count":
            options.count = Int(text)
            return options.count != nil
        case "--seed":
            options.seed = UInt64(text)
            return options.seed != nil
        case "--minutes":
            options.minutes = Double(text)
            return options.minutes != nil
        case "--images": return Int(text).map { options.images = $0 } != nil
        case "--workers": return Int(text).map { options.workers = $0 } != nil
        default: return false
        }
    }
}
