package photojob

import "github.com/assay-project/assay/services/query/webhook"

// Describe describes a photo job, or a batch, to receivers of webhooks.
func (a *Area) Describe(o webhook.Outcome) webhook.Item {
	if o.Completed.GetPhotoBatch() != nil {
		return webhook.Item{Kind: "batch", URL: "/v1/photo-batches/" + o.ID}
	}
	return webhook.Item{URL: "/v1/photos/" + o.ID}
}
