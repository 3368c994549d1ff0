package client

import (
	"context"
	"net/http"
)

// Tag is a tag that the client's owner gave to items.
type Tag struct {
	Tag   string `json:"tag"`
	Items int    `json:"items"`
}

// Tags returns the owner's tags, by name.
func (c *Client) Tags(ctx context.Context) ([]Tag, error) {
	var list struct {
		Tags []Tag `json:"tags"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("tags")}, &list)
	return list.Tags, err
}

// TagItem gives a tag to an item of an area, which the owner must be able to see. It has no effect if the item has the tag.
func (c *Client) TagItem(ctx context.Context, area, id, tag string) error {
	return c.do(ctx, call{method: http.MethodPut, path: join("items", area, id, "tags", tag)}, nil)
}

// UntagItem removes a tag from an item. It has no effect if the item does not have the tag.
func (c *Client) UntagItem(ctx context.Context, area, id, tag string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("items", area, id, "tags", tag)}, nil)
}
