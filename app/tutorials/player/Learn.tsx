/** The learning part of the page, loaded when its address is opened. */
import './learn.css';
import { useEffect } from 'react';
import { placeOf } from '../course';
import { useRoute } from '../../state/route';
import { Courses } from './Courses';
import { Player } from './Player';

export default function Learn(): React.ReactNode {
  const slug = useRoute((route) => (route.kind === 'learn' ? route.path : ''));
  useEffect(() => {
    const before = document.title;
    return () => {
      document.title = before;
    };
  }, []);
  useEffect(() => {
    const title = slug === '' ? 'Learn' : placeOf(slug)?.entry.title;
    document.title = `${title ?? 'Learn'} · Hippocamp`;
  }, [slug]);
  return slug === '' ? <Courses /> : <Player key={slug} slug={slug} />;
}
