package client

import (
	"context"
	"net/http"
	"time"
)

// PhotoProviderSettings are the settings of a paid provider of photo jobs, as operators edit them.
// Costs are in millionths of a US dollar.
type PhotoProviderSettings struct {
	Enabled       bool     `json:"enabled"`
	BaseURL       string   `json:"baseUrl"`
	KeyVariable   string   `json:"keyVariable"` // the environment variable of the analyzer that has the key
	AnalyzeModel  string   `json:"analyzeModel,omitempty"`
	EditModel     string   `json:"editModel"`
	AnalyzeMicros int64    `json:"analyzeMicros"`
	EditMicros    int64    `json:"editMicros"`
	PriceDate     string   `json:"priceDate"` // such as 2026-11-22
	PerMinute     int      `json:"perMinute"`
	PerDay        int      `json:"perDay"`            // UTC
	DailyBudget   int64    `json:"dailyBudgetMicros"` // UTC
	Concurrent    int      `json:"concurrent"`
	AnalyzeTime   string   `json:"analyzeTime"` // such as 30s
	EditTime      string   `json:"editTime"`
	Fallback      []string `json:"fallback"`
	FallbackAfter string   `json:"fallbackAfter"`
}

// PhotoProvider is a paid provider of photo jobs. The calls on providers exist only at a server's
// operator address.
type PhotoProvider struct {
	Name string `json:"name"`
	PhotoProviderSettings
	State PhotoProviderState `json:"state"`
	ETag  string             `json:"etag,omitempty"` // of the settings; not in lists
}

// PhotoProviderState is what the calls of a provider came to.
type PhotoProviderState struct {
	HeldUntil   time.Time          `json:"heldUntil,omitzero"` // at the provider's request
	OpenUntil   time.Time          `json:"openUntil,omitzero"` // of the breaker
	Failures    int                `json:"failures"`           // in a row
	Suspended   string             `json:"suspended,omitempty"`
	SuspendedAt time.Time          `json:"suspendedAt,omitzero"`
	Running     int                `json:"running"`
	CallsToday  int                `json:"callsToday"`
	CostToday   int64              `json:"costTodayMicros"`
	Days        []PhotoProviderDay `json:"days"` // the newest last
}

// PhotoProviderDay is what a provider was called, and may have billed, in a day (UTC).
type PhotoProviderDay struct {
	Day        string `json:"day"`
	Calls      int    `json:"calls"`
	CostMicros int64  `json:"costMicros"`
}

// PhotoProviders reads all paid providers.
func (c *Client) PhotoProviders(ctx context.Context) ([]PhotoProvider, error) {
	var all struct {
		Providers []PhotoProvider `json:"providers"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("photo-providers")}, &all)
	return all.Providers, err
}

// PhotoProvider reads one paid provider.
func (c *Client) PhotoProvider(ctx context.Context, name string) (PhotoProvider, error) {
	return c.photoProvider(ctx, call{method: http.MethodGet, path: join("photo-providers", name)})
}

// PutPhotoProvider changes the settings with this ETag, or any for *. The Problem is 412 when they
// have another ETag. After a broken connection it is unknown whether the change was made.
func (c *Client) PutPhotoProvider(ctx context.Context, name string, settings PhotoProviderSettings, etag string) (PhotoProvider, error) {
	header := http.Header{"If-Match": {etag}}
	return c.photoProvider(ctx, call{method: http.MethodPut, path: join("photo-providers", name), header: header, body: settings, once: true})
}

func (c *Client) photoProvider(ctx context.Context, op call) (PhotoProvider, error) {
	resp, err := c.open(ctx, op)
	if err != nil {
		return PhotoProvider{}, err
	}
	found := PhotoProvider{ETag: resp.Header.Get("ETag")}
	err = decode(resp, &found)
	return found, err
}
