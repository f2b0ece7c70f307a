package version

// Info belongs to no API version.
type Info struct {
	Major string `json:"major"`
}
