package main

import (
	"context"
	"fmt"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

// A candidate wants to lead.
type candidate struct {
	// Closed when it leads, and when it does no longer.
	leads, ended chan struct{}
	giveUp       context.CancelFunc
}

func runFor(ctx context.Context, clients connection, name string) (*candidate, error) {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, "leader",
		clients.CoreV1(), clients.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	one := &candidate{make(chan struct{}), make(chan struct{}), cancel}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   20 * time.Second,
		RenewDeadline:   10 * time.Second,
		RetryPeriod:     100 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(one.leads) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		cancel()
		return nil, err
	}
	go func() {
		elector.Run(ctx)
		close(one.ended)
	}()
	return one, nil
}

func await(ctx context.Context, what string, happens <-chan struct{}) error {
	select {
	case <-happens:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
}

// election lets one of two candidates lead, which gives up, so that the other one takes over long before the lease ends.
func election(ctx context.Context, clients connection) error {
	a, err := runFor(ctx, clients, "a")
	if err != nil {
		return err
	}
	defer a.giveUp()
	if err := await(ctx, "a leads", a.leads); err != nil {
		return err
	}
	b, err := runFor(ctx, clients, "b")
	if err != nil {
		return err
	}
	defer b.giveUp()
	leases := clients.CoordinationV1().Leases(namespace)
	lease, err := leases.Get(ctx, "leader", meta.GetOptions{})
	if err != nil {
		return err
	}
	if err := expect("holder", *lease.Spec.HolderIdentity, "a"); err != nil {
		return err
	}
	select {
	case <-b.leads:
		return fmt.Errorf("b leads beside a")
	default:
	}
	a.giveUp()
	if err := first(await(ctx, "a has ended", a.ended), await(ctx, "b leads", b.leads)); err != nil {
		return err
	}
	lease, err = leases.Get(ctx, "leader", meta.GetOptions{})
	if err != nil {
		return err
	}
	b.giveUp()
	return first(
		expect("holder", *lease.Spec.HolderIdentity, "b"),
		expect("transitions", *lease.Spec.LeaseTransitions > 0, true),
		await(ctx, "b has ended", b.ended),
		leases.Delete(ctx, "leader", meta.DeleteOptions{}),
	)
}

// events tells the same of an object twice: client-go creates an event, and patches its count.
func events(ctx context.Context, clients connection) error {
	maps, told := clients.CoreV1().ConfigMaps(namespace), clients.CoreV1().Events(namespace)
	object, err := maps.Create(ctx, &core.ConfigMap{ObjectMeta: named("told")}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	selected := meta.ListOptions{FieldSelector: "involvedObject.name=told,involvedObject.uid=" + string(object.UID)}
	list, err := told.List(ctx, selected)
	if err != nil {
		return err
	}
	selected.ResourceVersion = list.ResourceVersion
	watched, err := told.Watch(ctx, selected)
	if err != nil {
		return err
	}
	defer watched.Stop()
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typed.EventSinkImpl{Interface: told})
	scheme := runtime.NewScheme()
	if err := core.AddToScheme(scheme); err != nil {
		return err
	}
	recorder := broadcaster.NewRecorder(scheme, core.EventSource{Component: "client"})
	for count := int32(1); count <= 2; count++ {
		recorder.Event(object, core.EventTypeNormal, "Looked", "somebody looked")
		_, event, err := next(ctx, watched)
		if err != nil {
			return err
		}
		if err := expect("count", event.(*core.Event).Count, count); err != nil {
			return err
		}
	}
	selected.ResourceVersion = ""
	return first(
		told.DeleteCollection(ctx, meta.DeleteOptions{}, selected),
		maps.Delete(ctx, "told", meta.DeleteOptions{}),
	)
}
