package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// PhotoProviderSettings are the settings of a paid provider of photo jobs, as operators edit them.
// Costs are in millionths of a US dollar.
type PhotoProviderSettings struct {
	Enabled       bool     `json:"enabled"`
	BaseURL       string   `json:"baseUrl"`
	KeyVariable   string   `json:"keyVariable"` // environment variable of the analyzer that contains the key
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

// PhotoProvider is a paid provider of photo jobs. Calls for providers are available only at a
// server's operator address.
type PhotoProvider struct {
	Name string `json:"name"`
	PhotoProviderSettings
	State PhotoProviderState `json:"state"`
	ETag  string             `json:"etag,omitempty"` // ETag of the settings; absent in lists
}

// PhotoProviderState summarizes the calls to a provider and their results.
type PhotoProviderState struct {
	HeldUntil   time.Time          `json:"heldUntil,omitzero"` // end of a pause that the provider requested
	OpenUntil   time.Time          `json:"openUntil,omitzero"` // end of the open state of the circuit breaker
	Failures    int                `json:"failures"`           // consecutive
	Suspended   string             `json:"suspended,omitempty"`
	SuspendedAt time.Time          `json:"suspendedAt,omitzero"`
	Running     int                `json:"running"`
	CallsToday  int                `json:"callsToday"`
	CostToday   int64              `json:"costTodayMicros"`
	Days        []PhotoProviderDay `json:"days"` // newest last
}

// PhotoProviderDay counts the calls to a provider on one day (UTC) and their maximum cost.
type PhotoProviderDay struct {
	Day        string `json:"day"`
	Calls      int    `json:"calls"`
	CostMicros int64  `json:"costMicros"`
}

// PhotoProviderList contains all paid providers.
type PhotoProviderList struct {
	Default   string          `json:"default"` // provider of jobs that do not name one; local is the provider of Assay
	Providers []PhotoProvider `json:"providers"`
	ETag      string          `json:"etag,omitempty"` // ETag of Default
}

// PhotoProviders returns all paid providers.
func (c *Client) PhotoProviders(ctx context.Context) (PhotoProviderList, error) {
	return c.photoProviders(ctx, call{method: http.MethodGet, path: join("photo-providers")})
}

// PutDefaultPhotoProvider changes the default provider if its ETag matches etag, where * matches
// any. Errors are the same as for PutPhotoProvider.
func (c *Client) PutDefaultPhotoProvider(ctx context.Context, name, etag string) (PhotoProviderList, error) {
	body := map[string]string{"default": name}
	return c.photoProviders(ctx, call{method: http.MethodPut, path: join("photo-providers"), header: http.Header{"If-Match": {etag}}, body: body, once: true})
}

func (c *Client) photoProviders(ctx context.Context, op call) (PhotoProviderList, error) {
	resp, err := c.open(ctx, op)
	if err != nil {
		return PhotoProviderList{}, err
	}
	found := PhotoProviderList{ETag: resp.Header.Get("ETag")}
	err = decode(resp, &found)
	return found, err
}

// PhotoProviderCheck reports whether a provider accepts the key of an analyzer.
type PhotoProviderCheck struct {
	Name       string `json:"name"`
	OK         bool   `json:"ok"`
	Model      string `json:"model"`
	Code       string `json:"code,omitempty"` // error code, as in PhotoError
	Detail     string `json:"detail,omitempty"`
	HTTPStatus int    `json:"httpStatus,omitempty"`
	Millis     int64  `json:"millis"`
}

// CheckPhotoProvider makes a free call to a paid provider. The call is available only at the
// operator address of an analyzer.
func (c *Client) CheckPhotoProvider(ctx context.Context, name string) (PhotoProviderCheck, error) {
	var found PhotoProviderCheck
	err := c.do(ctx, call{method: http.MethodPost, path: join("photo-providers", name, "check")}, &found)
	return found, err
}

// PhotoCosts counts the calls to paid providers in a range of days and their maximum cost.
type PhotoCosts struct {
	From       string              `json:"from"`
	To         string              `json:"to"`
	Calls      int                 `json:"calls"`
	CostMicros int64               `json:"costMicros"`
	Providers  []PhotoProviderCost `json:"providers"`
}

// PhotoProviderCost is the share of one provider in PhotoCosts.
type PhotoProviderCost struct {
	Name       string             `json:"name"`
	Calls      int                `json:"calls"`
	CostMicros int64              `json:"costMicros"`
	Days       []PhotoProviderDay `json:"days"` // newest last
}

// PhotoCosts returns the calls and costs between two days (UTC, such as 2026-11-22), inclusive.
// By default, from is the first day of the current month and to is today.
func (c *Client) PhotoCosts(ctx context.Context, from, to string) (PhotoCosts, error) {
	query := url.Values{}
	for name, day := range map[string]string{"from": from, "to": to} {
		if day != "" {
			query.Set(name, day)
		}
	}
	var found PhotoCosts
	err := c.do(ctx, call{method: http.MethodGet, path: join("photos", "costs"), query: query}, &found)
	return found, err
}

// PhotoProvider returns one paid provider.
func (c *Client) PhotoProvider(ctx context.Context, name string) (PhotoProvider, error) {
	return c.photoProvider(ctx, call{method: http.MethodGet, path: join("photo-providers", name)})
}

// PutPhotoProvider changes the settings if their ETag matches etag, where * matches any. If the
// ETag differs, it returns a Problem with status 412. After a broken connection it is unknown
// whether the change was made.
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
