package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Rendition is a copy of a photo, in another size, shape or format. It is never larger than the photo.
type Rendition struct {
	Width       int    `json:"width,omitempty"`  // maximum in pixels
	Height      int    `json:"height,omitempty"` // maximum in pixels
	Cover       bool   `json:"cover,omitempty"`  // crop the photo so that it fills width × height
	AspectRatio string `json:"aspectRatio,omitempty"`
	Gravity     string `json:"gravity,omitempty"` // the part that a crop keeps, such as north; default: center
	Quality     int    `json:"quality,omitempty"` // for jpeg and webp, 1 to 100
	Format      string `json:"format"`            // jpeg, png, webp
	Original    bool   `json:"original,omitempty"`
}

// PhotoURL is a URL under which everyone can load a rendition of a photo until it expires.
type PhotoURL struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// SignPhotoURL creates the URL of a rendition, with a lifetime of at most 90 days.
func (c *Client) SignPhotoURL(ctx context.Context, jobID string, r Rendition, valid time.Duration) (PhotoURL, error) {
	body := struct {
		Rendition
		ExpiresIn string `json:"expiresIn"`
	}{r, valid.String()}
	var signed PhotoURL
	err := c.do(ctx, call{method: http.MethodPost, path: join("photos", jobID, "urls"), body: body}, &signed)
	if err != nil {
		return signed, err
	}
	relative, err := url.Parse(signed.URL)
	if err == nil {
		signed.URL = c.server.JoinPath(relative.Path).String() + "?" + relative.RawQuery
	}
	return signed, err
}
