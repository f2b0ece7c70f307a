package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/features"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// watched selects the objects of the checks in this file.
const watched = "watched=yes"

// colored returns a config map that watches here select.
func colored(name, color string) *core.ConfigMap {
	return &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{"watched": "yes"}},
		Data:       map[string]string{"color": color},
	}
}

// create creates config maps of one color.
func create(ctx context.Context, clients connection, color string, names ...string) error {
	for _, name := range names {
		if _, err := clients.CoreV1().ConfigMaps(namespace).Create(ctx, colored(name, color), meta.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes all config maps that watches here select.
func removeAll(ctx context.Context, clients connection) error {
	selected := meta.ListOptions{LabelSelector: watched}
	return clients.CoreV1().ConfigMaps(namespace).DeleteCollection(ctx, meta.DeleteOptions{}, selected)
}

// next waits for an event. It returns its type, and the object's metadata.
func next(ctx context.Context, events watch.Interface) (watch.EventType, meta.Object, error) {
	select {
	case <-ctx.Done():
		return "", nil, fmt.Errorf("no event: %w", ctx.Err())
	case event, open := <-events.ResultChan():
		if !open {
			return "", nil, fmt.Errorf("the watch has ended")
		}
		object, isObject := event.Object.(meta.Object)
		if !isObject {
			return "", nil, fmt.Errorf("an event %s with %+v", event.Type, event.Object)
		}
		return event.Type, object, nil
	}
}

// expectEvents waits for events, which are written as their type and the object's name.
func expectEvents(ctx context.Context, events watch.Interface, expected ...string) error {
	for _, expected := range expected {
		kind, object, err := next(ctx, events)
		if err != nil {
			return fmt.Errorf("%s: %w", expected, err)
		}
		if err := expect("event", fmt.Sprintf("%s %s", kind, object.GetName()), expected); err != nil {
			return err
		}
	}
	return nil
}

// watchFrom begins at the version of a list, and sees an object that loses its label as deleted.
func watchFrom(ctx context.Context, clients connection) error {
	maps := clients.CoreV1().ConfigMaps(namespace)
	if err := create(ctx, clients, "red", "before"); err != nil {
		return err
	}
	list, err := maps.List(ctx, meta.ListOptions{LabelSelector: watched})
	if err != nil {
		return err
	}
	if err := create(ctx, clients, "red", "a"); err != nil {
		return err
	}
	events, err := maps.Watch(ctx, meta.ListOptions{LabelSelector: watched, ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer events.Stop()
	if err := expectEvents(ctx, events, "ADDED a"); err != nil {
		return err
	}
	object := colored("a", "green")
	if _, err := maps.Update(ctx, object, meta.UpdateOptions{}); err != nil {
		return err
	}
	object.Labels = nil
	if _, err := maps.Update(ctx, object, meta.UpdateOptions{}); err != nil {
		return err
	}
	return first(
		expectEvents(ctx, events, "MODIFIED a", "DELETED a"),
		maps.Delete(ctx, "a", meta.DeleteOptions{}),
		removeAll(ctx, clients),
		expectEvents(ctx, events, "DELETED before"),
	)
}

// stream begins with all objects, and a bookmark that tells their end.
func stream(ctx context.Context, clients connection) error {
	if err := create(ctx, clients, "red", "a", "b"); err != nil {
		return err
	}
	yes := true
	events, err := clients.CoreV1().ConfigMaps(namespace).Watch(ctx, meta.ListOptions{
		LabelSelector:        watched,
		SendInitialEvents:    &yes,
		ResourceVersionMatch: meta.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
	})
	if err != nil {
		return err
	}
	defer events.Stop()
	if err := expectEvents(ctx, events, "ADDED a", "ADDED b"); err != nil {
		return err
	}
	kind, bookmark, err := next(ctx, events)
	if err != nil {
		return err
	}
	if err := first(
		expect("event after the objects", kind, watch.Bookmark),
		expect("annotation of the bookmark", bookmark.GetAnnotations()[meta.InitialEventsAnnotationKey], "true"),
		expect("whether the bookmark has no version", bookmark.GetResourceVersion() == "", false),
		removeAll(ctx, clients),
	); err != nil {
		return err
	}
	return expectEvents(ctx, events, "DELETED a", "DELETED b")
}

// A gate has client-go's features as they are by default, but for WatchListClient, by which reflectors stream what they would
// list.
type gate struct {
	features map[features.Feature]features.FeatureSpec
	lists    atomic.Bool
}

func (g *gate) Add(features map[features.Feature]features.FeatureSpec) error {
	g.features = features
	return nil
}

func (g *gate) Enabled(feature features.Feature) bool {
	return g.features[feature].Default && (feature != features.WatchListClient || !g.lists.Load())
}

// gates is client-go's before the first client asks for it.
var gates = func() *gate {
	gates := &gate{}
	if err := features.AddFeaturesToExistingFeatureGates(gates); err != nil {
		fail("%v", err)
	}
	features.ReplaceFeatureGates(gates)
	return gates
}()

// requests notes the queries of requests for collections.
type requests struct {
	lock    sync.Mutex
	queries []url.Values
	// Gets a value for each watch.
	watches chan struct{}
}

func recorded(config *rest.Config) (*rest.Config, *requests) {
	noted := &requests{watches: make(chan struct{}, 100)}
	config = rest.CopyConfig(config)
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return &noting{inner, noted} })
	return config, noted
}

type noting struct {
	http.RoundTripper
	noted *requests
}

func (n *noting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := n.RoundTripper.RoundTrip(request)
	n.noted.lock.Lock()
	n.noted.queries = append(n.noted.queries, request.URL.Query())
	n.noted.lock.Unlock()
	if request.URL.Query().Get("watch") == "true" {
		n.noted.watches <- struct{}{}
	}
	return response, err
}

// count returns the numbers of lists, of watches that begin with all objects, and of others.
func (r *requests) count() (lists, streams, watches int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, query := range r.queries {
		switch {
		case query.Get("watch") != "true":
			lists++
		case query.Get("sendInitialEvents") == "true":
			streams++
		default:
			watches++
		}
	}
	return lists, streams, watches
}

// told collects what handlers of an informer are told.
type told chan string

func (t told) handler() cache.ResourceEventHandler {
	name := func(object any) string {
		if object, ok := object.(meta.Object); ok {
			return object.GetName()
		}
		return fmt.Sprintf("%T", object)
	}
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isInitial bool) {
			if isInitial {
				t <- "found " + name(object)
			} else {
				t <- "added " + name(object)
			}
		},
		UpdateFunc: func(_, object any) { t <- "updated " + name(object) },
		DeleteFunc: func(object any) { t <- "deleted " + name(object) },
	}
}

// expect waits for these, in any order.
func (t told) expect(ctx context.Context, expected ...string) error {
	var found []string
	for len(found) < len(expected) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("told %v and not %v: %w", found, expected, ctx.Err())
		case what := <-t:
			found = append(found, what)
		}
	}
	slices.Sort(found)
	slices.Sort(expected)
	return expect("told", found, expected)
}

func informsByList(ctx context.Context, clients connection) error {
	gates.lists.Store(true)
	defer gates.lists.Store(false)
	noted, err := informs(ctx, clients)
	if err != nil {
		return err
	}
	lists, streams, _ := noted.count()
	return first(expect("lists", lists, 1), expect("watches that begin with all objects", streams, 0))
}

func informsByStream(ctx context.Context, clients connection) error {
	noted, err := informs(ctx, clients)
	if err != nil {
		return err
	}
	lists, streams, _ := noted.count()
	return first(expect("lists", lists, 0), expect("watches that begin with all objects", streams, 1))
}

// An informer is a cache of the selected config maps, with an index.
type informer struct {
	informers.SharedInformerFactory
	cache.SharedIndexInformer
	told  told
	noted *requests
}

// inform makes an informer, which does not run yet.
func inform(clients connection, tweak func(*meta.ListOptions)) (*informer, error) {
	config, noted := recorded(clients.config)
	own, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(own, 0, informers.WithNamespace(namespace), informers.WithTweakListOptions(tweak))
	shared := factory.Core().V1().ConfigMaps().Informer()
	told := make(told, 100)
	_, err = shared.AddEventHandler(told.handler())
	byColor := func(object any) ([]string, error) { return []string{object.(*core.ConfigMap).Data["color"]}, nil }
	return &informer{factory, shared, told, noted}, first(err, shared.AddIndexers(cache.Indexers{"color": byColor}))
}

// informs follows objects through the cache of an informer.
func informs(ctx context.Context, clients connection) (*requests, error) {
	if err := create(ctx, clients, "red", "a", "b"); err != nil {
		return nil, err
	}
	informer, err := inform(clients, func(options *meta.ListOptions) { options.LabelSelector = watched })
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer informer.Shutdown()
	defer cancel()
	informer.StartWithContext(ctx)
	if err := first(
		informer.WaitForCacheSyncWithContext(ctx).Err,
		informer.told.expect(ctx, "found a", "found b"),
		create(ctx, clients, "green", "c"),
		informer.told.expect(ctx, "added c"),
	); err != nil {
		return nil, err
	}
	maps := clients.CoreV1().ConfigMaps(namespace)
	if _, err := maps.Update(ctx, colored("a", "green"), meta.UpdateOptions{}); err != nil {
		return nil, err
	}
	if err := first(
		informer.told.expect(ctx, "updated a"),
		maps.Delete(ctx, "b", meta.DeleteOptions{}),
		informer.told.expect(ctx, "deleted b"),
	); err != nil {
		return nil, err
	}
	green, err := informer.GetIndexer().IndexKeys("color", "green")
	if err != nil {
		return nil, err
	}
	slices.Sort(green)
	kept, err := informer.Core().V1().ConfigMaps().Lister().ConfigMaps(namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	found, err := maps.Get(ctx, "a", meta.GetOptions{})
	if err != nil {
		return nil, err
	}
	cached, err := informer.Core().V1().ConfigMaps().Lister().ConfigMaps(namespace).Get("a")
	return informer.noted, first(
		err,
		expect("green ones", green, []string{namespace + "/a", namespace + "/c"}),
		expect("objects in the cache", len(kept), 2),
		expect("an object in the cache", cached, found),
		removeAll(ctx, clients),
		informer.told.expect(ctx, "deleted a", "deleted c"),
	)
}

// informsAgain lets the server end each watch after two seconds: client-go mistrusts those that last less than one. The informer goes on where it was, without another list.
func informsAgain(ctx context.Context, clients connection) error {
	seconds := int64(2)
	informer, err := inform(clients, func(options *meta.ListOptions) {
		options.LabelSelector, options.TimeoutSeconds = watched, &seconds
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer informer.Shutdown()
	defer cancel()
	if err := create(ctx, clients, "red", "a"); err != nil {
		return err
	}
	informer.StartWithContext(ctx)
	if err := informer.told.expect(ctx, "found a"); err != nil {
		return err
	}
	// The first watch has begun; the second one begins when the server has ended it.
	for range 2 {
		select {
		case <-informer.noted.watches:
		case <-ctx.Done():
			return fmt.Errorf("no other watch: %w", ctx.Err())
		}
	}
	if err := first(
		create(ctx, clients, "red", "b"),
		informer.told.expect(ctx, "added b"),
		removeAll(ctx, clients),
		informer.told.expect(ctx, "deleted a", "deleted b"),
	); err != nil {
		return err
	}
	lists, streams, _ := informer.noted.count()
	return expect("lists, and watches that begin with all objects", lists+streams, 1)
}
