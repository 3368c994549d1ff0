package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Quotas are the limits of an owner; 0 means no limit.
type Quotas struct {
	Bytes    int64 `json:"bytes"`
	Items    int64 `json:"items"`
	Uploads  int64 `json:"uploads"`
	Requests int64 `json:"requests"` // per second and process
	Streams  int64 `json:"streams"`  // per process
}

// QuotaSettings are the quotas that operators have set for an owner; for nil fields the server's settings apply.
type QuotaSettings struct {
	Bytes    *int64 `json:"bytes,omitempty"`
	Items    *int64 `json:"items,omitempty"`
	Uploads  *int64 `json:"uploads,omitempty"`
	Requests *int64 `json:"requests,omitempty"`
	Streams  *int64 `json:"streams,omitempty"`
}

// Use is the usage of an owner's quotas.
type Use struct {
	Bytes   int64 `json:"bytes"`
	Items   int64 `json:"items"`
	Uploads int64 `json:"uploads"`
}

// Usage is what an owner uses, if it is counted.
type Usage struct {
	Use          *Use      `json:"use,omitempty"`         // nil while it is not counted
	CountedSince time.Time `json:"countedSince,omitzero"` // the next sweep adds the items from before
}

// OwnerQuotas are the quotas of an owner as shown to operators.
type OwnerQuotas struct {
	OwnerID string        `json:"ownerId"`
	Set     QuotaSettings `json:"set"`
	Quotas  Quotas        `json:"quotas"`
	Usage
}

// Quotas returns the quotas of an owner. Calls for quotas are available only at the operator address.
func (c *Client) Quotas(ctx context.Context, owner string) (OwnerQuotas, error) {
	var found OwnerQuotas
	err := c.do(ctx, call{method: http.MethodGet, path: join("quotas", owner)}, &found)
	return found, err
}

// SetQuotas replaces the quotas that operators have set for an owner.
func (c *Client) SetQuotas(ctx context.Context, owner string, set QuotaSettings) (OwnerQuotas, error) {
	var found OwnerQuotas
	err := c.do(ctx, call{method: http.MethodPut, path: join("quotas", owner), body: set}, &found)
	return found, err
}

// AuditEntry is a write operation of an operator.
type AuditEntry struct {
	ID         string    `json:"id"`
	Time       time.Time `json:"time"`
	Service    string    `json:"service"`
	Who        string    `json:"who,omitempty"`
	Credential string    `json:"credential,omitempty"` // key, oidc or session
	KeyID      string    `json:"keyId,omitempty"`
	Address    string    `json:"address"`
	Operation  string    `json:"operation"`
	Method     string    `json:"method"`
	Path       string    `json:"path"`
	RequestID  string    `json:"requestId"`
	Outcome    string    `json:"outcome"` // done, refused, failed or unknown
	Status     int       `json:"status,omitempty"`
	Millis     int64     `json:"millis,omitempty"`
}

// Audit returns up to limit write operations since a time, newest first, and the cursor of the next page. The call
// is available only at the operator address.
func (c *Client) Audit(ctx context.Context, since time.Time, limit int, cursor string) ([]AuditEntry, string, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if !since.IsZero() {
		query.Set("since", since.UTC().Format(time.RFC3339Nano))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var page struct {
		Entries    []AuditEntry `json:"entries"`
		NextCursor string       `json:"nextCursor"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("audit"), query: query}, &page)
	return page.Entries, page.NextCursor, err
}
