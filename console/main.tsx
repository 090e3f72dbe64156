import './style/tokens.css';
import './style/base.css';
import './style/frame.css';
import './style/parts.css';
import './style/tables.css';
import './style/forms.css';
import { render } from 'preact';
import { findSession } from './client/session.ts';
import { App, loadFirst } from './frame/app.tsx';

const place = document.querySelector('#app');
if (place !== null) render(<App />, place);
void findSession();
loadFirst();
