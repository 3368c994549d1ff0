package webhook

import "time"

// EndpointView is an endpoint as the API shows it.
type EndpointView struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty" doc:"items can name the endpoint by it"`
	URL       string    `json:"url"`
	Areas     []string  `json:"areas,omitempty" doc:"the areas whose events are delivered; absent for all"`
	Types     []string  `json:"types,omitempty" doc:"the types of the events that are delivered; absent for all"`
	Tags      []string  `json:"tags,omitempty" doc:"only events of items with one of these tags are delivered"`
	Folder    string    `json:"folder,omitempty" doc:"only events of items in this folder of the library, or below it, are delivered"`
	OnlyNamed bool      `json:"onlyNamed,omitempty" doc:"only events of items that name the endpoint are delivered"`
	Include   string    `json:"include,omitempty" enum:"result" doc:"result: payloads contain the result if they do not exceed 20 KB"`
	Signature string    `json:"signature" enum:"hmac,ed25519" doc:"hmac: version v1; ed25519: version v1a"`
	PublicKey string    `json:"publicKey,omitempty" doc:"the key that verifies ed25519 signatures"`
	State     State     `json:"state" enum:"active,disabled"`
	Reason    string    `json:"reason,omitempty" doc:"why the endpoint is disabled"`
	Failing   time.Time `json:"failingSince,omitzero" doc:"when deliveries began to fail; absent if the last one succeeded"`
	CreatedAt time.Time `json:"createdAt"`
	Rotating  time.Time `json:"previousSecretUntil,omitzero" doc:"until then, deliveries are also signed with the previous secret"`
}

// View returns an endpoint as the API shows it.
func (e Endpoint) View(h Health, now time.Time) EndpointView {
	h = e.Current(h)
	v := EndpointView{
		ID: e.ID, Name: e.Name, URL: e.URL, Areas: e.Filter.Areas, Types: e.Filter.Types, Tags: e.Filter.Tags, Folder: e.Filter.Folder,
		OnlyNamed: e.Filter.Named, Signature: "hmac", PublicKey: e.PublicKey, State: e.State(h), Failing: h.FailingSince, CreatedAt: e.CreatedAt,
	}
	if e.Include {
		v.Include = "result"
	}
	if e.PublicKey != "" {
		v.Signature = "ed25519"
	}
	if v.State == Disabled {
		v.Reason = h.Reason
		if e.Off {
			v.Reason = "the owner disabled it"
		}
	}
	for _, s := range e.Secrets {
		if now.Before(s.Until) {
			v.Rotating = s.Until
		}
	}
	return v
}
