package feed

import (
	"net/url"

	"github.com/assay-project/assay/services/query/webhook"
)

// Describe describes a feed item to receivers of webhooks.
func (a *Area) Describe(o webhook.Outcome) webhook.Item {
	return webhook.Item{URL: "/v1/feed/items/" + url.PathEscape(o.ID), Tags: o.Completed.GetTextSentiment().GetMatchedTags()}
}
