package textfile

import "github.com/assay-project/assay/services/query/webhook"

// Describe describes a file to receivers of webhooks.
func (a *Area) Describe(o webhook.Outcome) webhook.Item {
	return webhook.Item{URL: "/v1/files/" + o.ID}
}
